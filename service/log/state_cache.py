"""The newest states that a process has seen of the entities of one kind."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Generic

from service.log.entity import S


class StateCache(Generic[S]):
    """Up to `size` states by id; the one that was not used for the longest time goes first.

    Safe for threads.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._states: OrderedDict[str, S] = OrderedDict()
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
                self._states[state.id] = state
                self._states.move_to_end(state.id)
            while len(self._states) > self.size:
                self._states.popitem(last=False)
        return state

    def forget(self, id: str) -> None:
        """Drop the state of the entity with this id, if there is one."""
        with self._lock:
            self._states.pop(id, None)
