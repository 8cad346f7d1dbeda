"""An object as a readable file: fetched piece by piece, however large it is."""

from __future__ import annotations

import io
from typing import BinaryIO, Final, cast

from service.storage.errors import ObjectMissing
from service.storage.objects import ObjectStore

BLOCK: Final = 1 << 20
"""Bytes that are fetched at a time."""


def open_object(objects: ObjectStore, name: str) -> BinaryIO:
    """Open an object for reading; raises ObjectMissing and ObjectsAway, as reading does."""
    size = objects.size(name)
    if size is None:
        raise ObjectMissing(name)
    return cast(BinaryIO, io.BufferedReader(ObjectReader(objects, name, size), BLOCK))


class ObjectReader(io.RawIOBase):
    """The bytes of an object of this size."""

    def __init__(self, objects: ObjectStore, name: str, size: int) -> None:
        self._objects = objects
        self._name = name
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        """Always True."""
        return True

    def seekable(self) -> bool:
        """Always True."""
        return True

    def tell(self) -> int:
        """Where the next read begins."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to an offset from the start, the current place or the end; returns the new place."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(base + offset, 0)
        return self._at

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        """Fill the buffer, or as much of it as there is."""
        length = max(min(len(buffer), self._size - self._at), 0)
        buffer[:length] = self._objects.get_range(self._name, self._at, length)
        self._at += length
        return length
