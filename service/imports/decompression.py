"""Reading compressed files as a stream, in constant memory and in bounded steps.

A few bytes can unpack to any number of bytes, and any number of bytes to none at all. So a reader
passes a function that is called at regular intervals of packed and of unpacked bytes. It can renew
a lease, or stop the reading by raising.
"""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable
from enum import StrEnum
from typing import BinaryIO, Final, Protocol

import zstandard

from service.imports.errors import DamagedUpload, UnpacksTooLarge

CHUNK: Final = 1 << 16
"""The most bytes that are unpacked, or read from a file that is not packed, between two beats."""
BITE: Final = 256
"""How many packed bytes are unpacked at once: they yield no more than 8 MiB.

The densest possible packing is zstd's blocks of one repeated byte, 128 KiB in four bytes.
"""
WINDOW: Final = 1 << 27
"""The most memory that unpacking zstd may take: the limit of its own tool."""
MOST_EMPTY: Final = 1000
"""The most frames without content that may follow one another; each takes time to set up."""


class Packing(StrEnum):
    """How a file is packed, by the names of HTTP's content codings."""

    NONE = "identity"
    GZIP = "gzip"
    ZSTD = "zstd"


MAGIC: Final = {b"\x1f\x8b": Packing.GZIP, b"\x28\xb5\x2f\xfd": Packing.ZSTD}


def packing_of(first: bytes) -> Packing:
    """How a file that begins with these bytes is packed."""
    return next((p for magic, p in MAGIC.items() if first.startswith(magic)), Packing.NONE)


class Unpacked:
    """A packed file as a stream of its content, `lines`."""

    def __init__(
        self,
        raw: BinaryIO,
        packing: Packing,
        most: int,
        after: int = 0,
        beat: Callable[[], None] = lambda: None,
    ) -> None:
        """Unpack at most `most` bytes from `raw`, skipping the first `after` of them.

        `beat` is called at every read of up to BITE packed or CHUNK unpacked bytes. Reading raises
        DamagedUpload, UnpacksTooLarge, and what `beat` raises.
        """
        self.raw = raw
        source: _Source = raw
        if packing is not Packing.NONE:
            source = _Frames(raw, packing, beat)
        self.lines = io.BufferedReader(_Bounded(source, most, beat), CHUNK)
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
    """A source that raises the imports' own errors if it is damaged or too large."""

    def __init__(self, source: _Source, most: int, beat: Callable[[], None]) -> None:
        self._source = source
        self._most = most
        self._left = most
        self._beat = beat

    def readable(self) -> bool:
        """Always true."""
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        """Read into the buffer; at least one byte, except at the end."""
        self._beat()
        try:
            data = self._source.read(len(buffer))
        except (EOFError, zlib.error, zstandard.ZstdError) as error:
            raise DamagedUpload(str(error)) from error
        self._left -= len(data)
        if self._left < 0:
            raise UnpacksTooLarge(self._most)
        buffer[: len(data)] = data
        return len(data)


class _Frame(Protocol):
    """A decompressor for one zstd frame or one gzip member, both called frames here."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


class _Frames:
    """Reads consecutive frames; unlike the libraries' own readers it works in small steps."""

    def __init__(self, raw: BinaryIO, packing: Packing, beat: Callable[[], None]) -> None:
        self._raw = raw
        self._new = _gzip if packing is Packing.GZIP else _zstd
        # Tapes and some tools pad gzip archives.
        self._padding = b"\0" if packing is Packing.GZIP else b""
        self._beat = beat
        self._frame: _Frame | None = None
        self._filled = False
        self._empty = 0
        self._packed = b""
        self._data = memoryview(b"")

    def read(self, size: int, /) -> bytes:
        """Up to `size` bytes, none at the end; raises what unpacking raises, or EOFError."""
        while not self._data:
            bite = self._packed or self._raw.read(BITE)
            self._beat()
            if not bite:
                if self._frame is not None:
                    raise EOFError("it is cut off")
                return b""
            self._packed = self._unpack(bite)
        data, self._data = self._data[:size], self._data[size:]
        return bytes(data)

    def _unpack(self, bite: bytes) -> bytes:
        """Unpack some bytes; returns those that follow the end of a frame."""
        if self._frame is None:
            bite = bite.lstrip(self._padding)
            if not bite:
                return b""
            self._frame, self._filled = self._new(), False
        self._data = memoryview(self._frame.decompress(bite))
        self._filled = self._filled or bool(self._data)
        if not self._frame.eof:
            return b""
        self._empty = 0 if self._filled else self._empty + 1
        if self._empty > MOST_EMPTY:
            raise EOFError(f"more than {MOST_EMPTY} parts without content in a row")
        rest, self._frame = self._frame.unused_data, None
        return rest


def _gzip() -> _Frame:
    return zlib.decompressobj(zlib.MAX_WBITS | 16)


def _zstd() -> _Frame:
    return zstandard.ZstdDecompressor(max_window_size=WINDOW).decompressobj()
