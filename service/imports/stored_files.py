"""The files of imports in an object store, which machines share.

imports/<id>/original           the bytes as received
imports/<id>/verdicts/<offset>  verdicts, from this byte of all of them on

Objects are written whole, so the verdicts are cut into pieces between lines. The last piece is
rewritten with what is added until it is long enough.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from service.imports.files import ORIGINAL
from service.storage.errors import ObjectMissing
from service.storage.object_reader import open_object
from service.storage.objects import ObjectStore

FOLDER: Final = "imports"
PIECE: Final = 1 << 18
"""The size in bytes from which a piece is long enough."""

Lock = Callable[[str], AbstractContextManager[object]]
"""Gives the lock of this name among all processes of the service."""


class Piece(NamedTuple):
    """A piece of a file of lines: the offsets of its first byte and after its last."""

    start: int
    end: int


class StoredLineFile:
    """A file of lines in an object store. Every method raises ObjectsAway."""

    def __init__(self, objects: ObjectStore, folder: str) -> None:
        self.objects = objects
        self.folder = folder
        self._last: tuple[int, bytes] | None = None
        """The offset of the piece that is being written, and its content."""

    def size(self) -> int:
        """The size in bytes."""
        return max((piece.end for piece in self._pieces()), default=0)

    def truncate(self, size: int) -> None:
        """Drop everything after the first `size` bytes, the last pieces first."""
        self._last = None
        for piece in reversed(self._pieces()):
            if piece.start >= size:
                self.objects.delete(self._name(piece.start))
            elif piece.end > size:
                kept = self.objects.get(self._name(piece.start))[: size - piece.start]
                self.objects.put(self._name(piece.start), kept)

    def append(self, lines: bytes) -> int:
        """Append whole lines durably."""
        start, written = self._last or self._read_last()
        if len(written) >= PIECE:
            start, written = start + len(written), b""
        self.objects.put(self._name(start), written + lines)
        self._last = start, written + lines
        return start + len(written) + len(lines)

    def read(self, start: int, length: int) -> bytes:
        """Read `length` bytes, fewer at the end."""
        found = io.BytesIO()
        for line in self._read_from(start):
            found.write(line)
            if found.tell() >= length:
                break
        return found.getvalue()[:length]

    def lines(self, start: int = 0) -> Iterator[bytes]:
        """Yield the lines from an offset on."""
        for content in self._read_from(start):
            yield from content.splitlines(keepends=True)

    def _read_from(self, start: int) -> Iterator[bytes]:
        for piece in self._pieces():
            if piece.end > start:
                try:
                    content = self.objects.get(self._name(piece.start))
                except ObjectMissing:
                    # The file was started again meanwhile.
                    return
                yield content[max(start - piece.start, 0) :]

    def _read_last(self) -> tuple[int, bytes]:
        pieces = self._pieces()
        if not pieces:
            return 0, b""
        return pieces[-1].start, self.objects.get(self._name(pieces[-1].start))

    def _pieces(self) -> list[Piece]:
        """The pieces in order, up to the first that is missing."""
        found = sorted(
            (int(stored.name.rpartition("/")[2]), stored.size)
            for stored in self.objects.list(self.folder)
        )
        pieces: list[Piece] = []
        for start, size in found:
            if start != (pieces[-1].end if pieces else 0):
                break
            pieces.append(Piece(start, start + size))
        return pieces

    def _name(self, start: int) -> str:
        return f"{self.folder}/{start:015}"


class StoredFiles:
    """The files of imports in an object store. Every method raises ObjectsAway."""

    def __init__(self, objects: ObjectStore, lock: Lock) -> None:
        self.objects = objects
        self._lock = lock

    @contextmanager
    def lock(self, id: str) -> Iterator[None]:
        """Lock the files of an import against all other processes of the service."""
        with self._lock(id):
            yield

    def keep(self, id: str, draft: Path) -> None:
        """Store a file under its name; the draft stays."""
        self.objects.put(self._name(id), draft)

    def size(self, id: str) -> int | None:
        """The size of the original of an import in bytes; None if there is none."""
        return self.objects.size(self._name(id))

    def open(self, id: str) -> BinaryIO:
        """Open the original of an import; raises FileNotFoundError."""
        try:
            return open_object(self.objects, self._name(id))
        except ObjectMissing as error:
            raise FileNotFoundError(self._name(id)) from error

    def discard(self, id: str) -> None:
        """Remove the original of an import, if there is one."""
        self.objects.delete(self._name(id))

    def verdicts(self, id: str) -> StoredLineFile:
        """The verdicts of an import."""
        return StoredLineFile(self.objects, f"{FOLDER}/{id}/verdicts")

    def _name(self, id: str) -> str:
        return f"{FOLDER}/{id}/{ORIGINAL}"
