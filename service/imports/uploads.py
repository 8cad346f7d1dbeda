"""Uploaded files: received on this machine's disk, kept as received, read unpacked.

imports/.<random>   an upload under way, in the data directory

`files` is where they are kept.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Final, Protocol

from engine.phrase import phrase
from service.errors import NotFound
from service.imports.decompression import Packing, Unpacked, packing_of
from service.imports.files import ImportFiles
from service.imports.verdicts import VerdictFile
from service.storage import durable_files as durable
from service.storage.capacity import describe_full_storage, limit_share, measure_spare_room
from service.storage.errors import StorageFull

CHUNK: Final = 1 << 16
ABANDONED: Final = 24 * 3600
"""Seconds after which an upload counts as left behind by a process that died."""
NO_ROOM: Final = phrase(
    "the service has no room for more data; the import goes on once the operator has made room"
)
"""What an import waits for while `check_room` refuses its games, as its sender reads it."""


@dataclass(frozen=True, slots=True)
class Received:
    """An upload on disk that is not yet an import's: its size in bytes, its digest in hex."""

    path: Path
    size: int
    sha256: str
    packing: Packing


class Readable(Protocol):
    """What an upload is read from."""

    def read(self, size: int, /) -> bytes:
        """Up to `size` bytes, none at the end."""


def digest_stream(stream: Readable, most: int) -> str:
    """The SHA-256 of a stream in hex; not the true one if it is longer than `most` bytes."""
    digest, size = sha256(), 0
    while size <= most and (chunk := stream.read(CHUNK)):
        digest.update(chunk)
        size += len(chunk)
    return digest.hexdigest()


class Uploads:
    """The uploads of a service; `most` is the limit of what one may unpack to, in bytes.

    They are received in the folder `incoming` of this machine, and kept in `files`. They leave
    `spare` bytes of that folder's disk free, or an eighth of it if that is less, in addition to the
    reserve of all that is written.
    """

    def __init__(self, incoming: Path, files: ImportFiles, most: int, spare: int) -> None:
        self.incoming = incoming
        self.files = files
        self.most = most
        self.spare = spare

    @contextmanager
    def receive(self, stream: Readable) -> Iterator[Received]:
        """Write a stream to disk; it is removed at the end unless `keep` has taken it.

        Raises what the stream raises, and StorageFull.
        """
        path = self.make_draft()
        digest, size, first = sha256(), 0, b""
        try:
            self._sweep()
            with path.open("xb") as file:
                while chunk := stream.read(CHUNK):
                    self.check_room()
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

    def check_room(self) -> None:
        """Raise StorageFull if only the room is left that games and lists may need."""
        self._make_folder()
        if measure_spare_room(self.incoming) < limit_share(self.spare, self.incoming):
            raise StorageFull

    def make_draft(self) -> Path:
        """A path for an incoming file, in a folder that exists."""
        self._make_folder()
        return self.incoming / f".{secrets.token_hex(8)}"

    def lock(self, id: str) -> AbstractContextManager[None]:
        """Lock the files of an import against all other processes of the service."""
        return self.files.lock(id)

    def keep(self, id: str, received: Received) -> None:
        """Make it the file of this import. Raises ObjectsAway, like the methods below."""
        self.files.keep(id, received.path)

    def open_original(self, id: str) -> tuple[BinaryIO, int]:
        """The file of an import as received, and its size; raises NotFound if it is gone."""
        size = self.files.size(id)
        try:
            if size is not None:
                return self.files.open(id), size
        except FileNotFoundError:
            # It was pruned after it was found.
            pass
        raise NotFound("original", id)

    def discard(self, id: str) -> int:
        """Remove the file of an import, not its verdicts; returns the bytes it had."""
        size = self.files.size(id)
        if size is not None:
            self.files.discard(id)
        return size or 0

    def verdicts(self, id: str) -> VerdictFile:
        """The verdicts of an import."""
        return VerdictFile(self.files.verdicts(id))

    @contextmanager
    def unpacked(
        self, id: str, packing: Packing, after: int = 0, beat: Callable[[], None] = lambda: None
    ) -> Iterator[Unpacked]:
        """The file of an import for reading, after its first `after` bytes; raises NotFound.

        `beat` is called at regular intervals of packed and unpacked bytes (`Unpacked`). Reading
        raises DamagedUpload, UnpacksTooLarge, and what `beat` raises.
        """
        raw, _ = self.open_original(id)
        with raw:
            yield Unpacked(raw, packing, self.most, after, beat)

    def _make_folder(self) -> None:
        self.incoming.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _sweep(self) -> None:
        for path in self.incoming.glob(".*"):
            with suppress(FileNotFoundError):  # another upload has ended meanwhile
                if path.stat().st_mtime < time.time() - ABANDONED:
                    path.unlink()
