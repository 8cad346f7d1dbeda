"""The newest states that a process has seen of the entities of one kind."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Generic

from service.log.entity import S


class StateCache(Generic[S]):
    """States by id that weigh up to `room` together, as measured by `weigh`.

    The least recently used state is dropped first. Thread-safe.
    """

    def __init__(self, room: int, weigh: Callable[[S], int]) -> None:
        self.room = room
        self.weigh = weigh
        self._states: OrderedDict[str, S] = OrderedDict()
        self._taken = 0
        self._lock = Lock()

    def get(self, id: str) -> S | None:
        """Return the state of the entity with this id, which may be out of date."""
        with self._lock:
            state = self._states.get(id)
            if state is not None:
                self._states.move_to_end(id)
            return state

    def put(self, state: S) -> S:
        """Keep a state, unless a newer one of its entity is known; returns it."""
        with self._lock:
            known = self._states.get(state.id)
            if known is None or known.version <= state.version:
                self._taken += self.weigh(state) - (self.weigh(known) if known else 0)
                self._states[state.id] = state
                self._states.move_to_end(state.id)
            while self._taken > self.room:
                self._taken -= self.weigh(self._states.popitem(last=False)[1])
        return state

    def forget(self, id: str) -> None:
        """Drop the state of the entity with this id, if there is one."""
        with self._lock:
            state = self._states.pop(id, None)
            self._taken -= self.weigh(state) if state else 0
