"""The newest states that a process has seen of the entities of one kind."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic

from service.bounded_cache import BoundedCache
from service.log.entity import S


class StateCache(Generic[S]):
    """States by id that weigh up to `room` together, as measured by `weigh`.

    The least recently used state is dropped first. Thread-safe.
    """

    def __init__(self, room: int, weigh: Callable[[S], int]) -> None:
        self._states = BoundedCache[str, S](room, weigh)
        self._lock = Lock()

    def get(self, id: str) -> S | None:
        """Return the state of the entity with this id, which may be out of date."""
        return self._states.get(id)

    def put(self, state: S) -> S:
        """Keep a state, unless a newer one of its entity is known; returns it."""
        with self._lock:
            known = self._states.get(state.id)
            if known is None or known.version <= state.version:
                self._states.put(state.id, state)
        return state

    def forget(self, id: str) -> None:
        """Drop the state of the entity with this id, if there is one."""
        self._states.drop(id)
