"""Uploaded files in the data directory: received, kept as they came, read unpacked.

imports/<id>/original         the bytes as they came
imports/<id>/verdicts.ndjson  what became of each game
imports/.<random>             an upload under way
"""

from __future__ import annotations

import fcntl
import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final, Protocol

from service.errors import NotFound
from service.imports.decompression import Packing, Unpacked, packing_of
from service.imports.verdicts import VerdictFile
from service.storage import durable_files as durable
from service.storage.capacity import describe_full_storage, measure_spare_room
from service.storage.errors import StorageFull

CHUNK: Final = 1 << 16
PAUSE: Final = 0.01
"""Seconds between two attempts at a lock that another upload holds."""
ABANDONED: Final = 24 * 3600
"""Seconds after which an upload under way was left behind by a process that died."""


ORIGINAL: Final = "original"
VERDICTS: Final = "verdicts.ndjson"
NAMES: Final = (ORIGINAL, VERDICTS)
"""The files of an import."""


@dataclass(frozen=True, slots=True)
class Received:
    """An upload on disk, not yet an import's: its size in bytes, its digest in hex."""

    path: Path
    size: int
    sha256: str
    packing: Packing


class Readable(Protocol):
    """What an upload is read from."""

    def read(self, size: int, /) -> bytes:
        """Up to `size` bytes, none at the end."""


def digest_stream(stream: Readable, most: int) -> str:
    """The SHA-256 of a stream in hex; of one longer than `most` bytes, another one."""
    digest, size = sha256(), 0
    while size <= most and (chunk := stream.read(CHUNK)):
        digest.update(chunk)
        size += len(chunk)
    return digest.hexdigest()


class Uploads:
    """The uploads in a data directory; `most` bounds what one may unpack to, in bytes."""

    def __init__(self, data_dir: Path, most: int) -> None:
        self.root = data_dir / "imports"
        self.most = most

    @contextmanager
    def receive(self, stream: Readable) -> Iterator[Received]:
        """Write a stream to disk; what `keep` has not taken by the end is removed.

        Raises what the stream raises, and StorageFull.
        """
        path = self.root / f".{secrets.token_hex(8)}"
        digest, size, first = sha256(), 0, b""
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._sweep()
            with path.open("xb") as file:
                while chunk := stream.read(CHUNK):
                    if measure_spare_room(self.root) < 0:
                        raise StorageFull
                    first = first or chunk[:4].ljust(4)
                    digest.update(chunk)
                    size += file.write(chunk)
                durable.sync(file)
            yield Received(path, size, digest.hexdigest(), packing_of(first))
        except OSError as error:
            if (full := describe_full_storage(error)) is None:
                raise
            raise full from error
        finally:
            path.unlink(missing_ok=True)

    @contextmanager
    def lock(self, id: str) -> Iterator[None]:
        """Have the files of an import to oneself, among all processes on this disk."""
        folder = self._folder(id)
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            # Waiting in the system would stop all other requests of a web process.
            while not _try_to_lock(descriptor):
                time.sleep(PAUSE)
            yield
        finally:
            os.close(descriptor)

    def keep(self, id: str, received: Received) -> None:
        """Make it the file of this import."""
        durable.replace(received.path, self._folder(id) / ORIGINAL)
        durable.sync_folder(self.root)

    def original(self, id: str) -> Path:
        """The file of an import as it came; raises NotFound where it is not on this disk."""
        path = self.file(id, ORIGINAL)
        if not path.exists():
            raise NotFound("original", id)
        return path

    def discard(self, id: str) -> int:
        """Remove the file of an import, not its verdicts; returns the bytes it had."""
        path = self.file(id, ORIGINAL)
        try:
            size = path.stat().st_size
            path.unlink()
        except FileNotFoundError:
            return 0
        return size

    def file(self, id: str, name: str) -> Path:
        """Where an import has one of its files, of NAMES."""
        return self.root / id / name

    def verdicts(self, id: str) -> VerdictFile:
        """The verdicts of an import."""
        return VerdictFile(self.file(id, VERDICTS))

    @contextmanager
    def unpacked(
        self, id: str, packing: Packing, after: int = 0, beat: Callable[[], None] = lambda: None
    ) -> Iterator[Unpacked]:
        """The file of an import to be read, behind the first `after` bytes; raises NotFound.

        `beat` is called within every few bytes that are read, packed or unpacked (`Unpacked`).
        Reading raises DamagedUpload, UnpacksTooLarge, and what `beat` raises.
        """
        with self.original(id).open("rb") as raw:
            yield Unpacked(raw, packing, self.most, after, beat)

    def _folder(self, id: str) -> Path:
        folder = self.root / id
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    def _sweep(self) -> None:
        for path in self.root.glob(".*"):
            with suppress(FileNotFoundError):  # another upload has ended meanwhile
                if path.stat().st_mtime < time.time() - ABANDONED:
                    path.unlink()


def _try_to_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
