"""The generation of the projections that is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import redis
from redis.client import Pipeline

from service.projection.keys import CURRENT, GENERATION

T = TypeVar("T")


class Current:
    """The current generation, as one reader of a store knows it. Safe for threads.

    What is read is all of one generation that was current all the while: where a rebuild has
    swapped generations meanwhile it is read again.
    """

    def __init__(self, store: redis.Redis) -> None:
        self.store = store
        self._known: Any = None

    def read(self, look: Callable[[str], T]) -> T:
        """What `look` finds, given what the keys of a generation begin with."""
        return self._steady(lambda base: (look(base), self.store.get(CURRENT)))

    def fetch(self, ask: Callable[[Pipeline, str], object]) -> list[Any]:
        """The answers to the commands that `ask` puts into the pipeline: one round trip."""

        def look(base: str) -> tuple[list[Any], Any]:
            pipeline = self.store.pipeline(transaction=False)
            ask(pipeline, base)
            pipeline.get(CURRENT)
            *found, now = pipeline.execute()
            return found, now

        return self._steady(look)

    def _steady(self, look: Callable[[str], tuple[T, Any]]) -> T:
        """What `look` finds, which also tells what generation was current after that.

        None comes back: one that was current before and still is has been so in between.
        """
        known = self._known
        while True:
            found, now = look(f"{GENERATION}{(known or b'0').decode()}:")
            if now == known:
                return found
            self._known = known = now
