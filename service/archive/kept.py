"""What a process keeps in memory of the archive, whose objects never change."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Kept(Generic[K, V]):
    """The `most` values that were put last. Safe for threads and greenlets."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        """The value of a key, if it is still there."""
        return self._values.get(key)

    def put(self, key: K, value: V) -> None:
        """Keep a value, and drop the oldest."""
        self._values[key] = value
        while len(self._values) > self._most:
            self._values.popitem(last=False)
