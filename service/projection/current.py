"""The generation of the projections that is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import redis

from service.projection.keys import CURRENT, GENERATION

T = TypeVar("T")


class Current:
    """The current generation, as one reader of a store knows it. Safe for threads."""

    def __init__(self, store: redis.Redis) -> None:
        self.store = store
        self._known: Any = None

    def read(self, look: Callable[[str], T]) -> T:
        """What `look` finds in a generation that was current all the while.

        It is given what the keys of the generation begin with, and looks again where a rebuild
        has swapped generations meanwhile. None comes back: one that was current before and still
        is has been so in between.
        """
        known = self._known
        while True:
            found = look(f"{GENERATION}{(known or b'0').decode()}:")
            now: Any = self.store.get(CURRENT)
            if now == known:
                return found
            self._known = known = now
