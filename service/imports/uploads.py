"""Uploaded files in the data directory: received, kept as they came, read unpacked.

imports/<id>/original         the bytes as they came
imports/<id>/verdicts.ndjson  what became of each game
imports/.<random>             an upload under way
"""

from __future__ import annotations

import gzip
import io
import os
import secrets
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO, Final, Protocol

import zstandard

from service.errors import NotFound
from service.imports.errors import DamagedUpload, UnpacksTooLarge
from service.imports.verdicts import VerdictFile
from service.storage import storage_full

CHUNK: Final = 1 << 16
BITE: Final = 256
"""Bytes of zstd unpacked at once: a block, of at most 128 KiB, takes four of them or more."""
WINDOW: Final = 1 << 27
"""The most memory that unpacking zstd may take: what its own tool grants."""
ABANDONED: Final = 24 * 3600
"""Seconds after which an upload under way was left behind by a process that died."""


ORIGINAL: Final = "original"
VERDICTS: Final = "verdicts.ndjson"
NAMES: Final = (ORIGINAL, VERDICTS)
"""The files of an import."""


class Packing(StrEnum):
    """How a file is packed, by the names of HTTP's content codings."""

    NONE = "identity"
    GZIP = "gzip"
    ZSTD = "zstd"


MAGIC: Final = {b"\x1f\x8b": Packing.GZIP, b"\x28\xb5\x2f\xfd": Packing.ZSTD}


@dataclass(frozen=True, slots=True)
class Received:
    """An upload on disk, not yet an import's: its size in bytes, its digest in hex."""

    path: Path
    size: int
    sha256: str
    packing: Packing


class Uploads:
    """The uploads in a data directory; `most` bounds what one may unpack to, in bytes."""

    def __init__(self, data_dir: Path, most: int) -> None:
        self.root = data_dir / "imports"
        self.most = most

    @contextmanager
    def receive(self, stream: BinaryIO) -> Iterator[Received]:
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
                    first = first or chunk[:4].ljust(4)
                    digest.update(chunk)
                    size += file.write(chunk)
                file.flush()
                os.fsync(file.fileno())
            yield Received(path, size, digest.hexdigest(), packing_of(first))
        except OSError as error:
            if (full := storage_full(error)) is None:
                raise
            raise full from error
        finally:
            path.unlink(missing_ok=True)

    def keep(self, id: str, received: Received) -> None:
        """Make it the file of this import."""
        folder = self.root / id
        folder.mkdir(mode=0o700, exist_ok=True)
        received.path.replace(folder / ORIGINAL)

    def original(self, id: str) -> Path:
        """The file of an import as it came; raises NotFound where it is not on this disk."""
        path = self.file(id, ORIGINAL)
        if not path.exists():
            raise NotFound("original", id)
        return path

    def discard(self, id: str) -> int:
        """Remove the file of an import, not its verdicts; returns the bytes it had."""
        path = self.file(id, ORIGINAL)
        if not path.exists():
            return 0
        size = path.stat().st_size
        path.unlink(missing_ok=True)
        return size

    def file(self, id: str, name: str) -> Path:
        """Where an import has one of its files, of NAMES."""
        return self.root / id / name

    def verdicts(self, id: str) -> VerdictFile:
        """The verdicts of an import."""
        return VerdictFile(self.file(id, VERDICTS))

    @contextmanager
    def unpacked(self, id: str, packing: Packing, after: int = 0) -> Iterator[Unpacked]:
        """The file of an import to be read, behind the first `after` bytes; raises NotFound.

        Reading raises DamagedUpload and UnpacksTooLarge.
        """
        with self.original(id).open("rb") as raw:
            yield Unpacked(raw, packing, self.most, after)

    def _sweep(self) -> None:
        for path in self.root.glob(".*"):
            if path.stat().st_mtime < time.time() - ABANDONED:
                path.unlink(missing_ok=True)


class Unpacked:
    """A packed file as lines; however it is packed, memory stays flat."""

    def __init__(self, raw: BinaryIO, packing: Packing, most: int, after: int = 0) -> None:
        self.raw = raw
        self.lines = io.BufferedReader(_Bounded(_OPENERS[packing](raw), most), CHUNK)
        while after > 0:
            skipped = len(self.lines.read(min(after, CHUNK)))
            if not skipped:
                break
            after -= skipped

    def passed(self) -> int:
        """How many bytes of the packed file were read."""
        return self.raw.tell()


class _Source(Protocol):
    def read(self, size: int, /) -> bytes: ...


class _Bounded(io.RawIOBase):
    """A source that tells its damage and its excess by the imports' own errors."""

    def __init__(self, source: _Source, most: int) -> None:
        self._source = source
        self._most = most
        self._left = most

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        """Fill the buffer, at least a byte of it until the end."""
        try:
            data = self._source.read(len(buffer))
        except (gzip.BadGzipFile, EOFError, zlib.error, zstandard.ZstdError) as error:
            raise DamagedUpload(str(error)) from error
        self._left -= len(data)
        if self._left < 0:
            raise UnpacksTooLarge(self._most)
        buffer[: len(data)] = data
        return len(data)


class _Zstd:
    """Frames of zstd one behind the other; unlike the library's own reader it tells a file that
    is cut off.
    """

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        self._frame = self._new()
        self._fed = False
        self._packed = b""
        self._data = b""

    def read(self, size: int, /) -> bytes:
        """Up to `size` bytes, none at the end; raises ZstdError or EOFError."""
        while not self._data:
            bite = self._bite()
            if not bite:
                if self._fed and not self._frame.eof:
                    raise EOFError("it is cut off")
                return b""
            if self._frame.eof:
                self._frame = self._new()
            self._fed = True
            self._data = self._frame.decompress(bite)
            if self._frame.eof:
                self._packed = self._frame.unused_data
        data, self._data = self._data[:size], self._data[size:]
        return data

    def _bite(self) -> bytes:
        bite, self._packed = self._packed or self._raw.read(BITE), b""
        return bite

    def _new(self) -> zstandard.ZstdDecompressionObj:
        return zstandard.ZstdDecompressor(max_window_size=WINDOW).decompressobj()


def _gzip(raw: BinaryIO) -> _Source:
    return gzip.GzipFile(fileobj=raw)


def _plain(raw: BinaryIO) -> _Source:
    return raw


_OPENERS: Final = {Packing.NONE: _plain, Packing.GZIP: _gzip, Packing.ZSTD: _Zstd}


def packing_of(first: bytes) -> Packing:
    """How a file is packed that begins with these bytes."""
    return next((p for magic, p in MAGIC.items() if first.startswith(magic)), Packing.NONE)
