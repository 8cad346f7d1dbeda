"""A cache in memory of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

from cachetools import LRUCache

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class BoundedCache(Generic[K, V]):
    """Values by key that weigh up to `room` together; the least recently used are dropped first.

    Without `weigh`, each value weighs one. Safe for threads and greenlets.
    """

    def __init__(self, room: int, weigh: Callable[[V], int] | None = None) -> None:
        self._values: LRUCache[K, V] = LRUCache(room, getsizeof=weigh)
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        """The value of a key, None if there is none."""
        with self._lock:
            return self._values.get(key)

    def put(self, key: K, value: V) -> None:
        """Cache a value in place of an earlier one, unless it alone weighs more than all room."""
        with self._lock:
            if self._values.getsizeof(value) > self._values.maxsize:
                self._values.pop(key, None)
            else:
                self._values[key] = value

    def drop(self, key: K) -> None:
        """Drop the value of a key, if there is one."""
        with self._lock:
            self._values.pop(key, None)
