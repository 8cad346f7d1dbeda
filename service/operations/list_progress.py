"""Tells the operator at the start of a projector that the lists are still being built."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

NOTABLE: Final = 500
"""The least number of changes by which the lists lag if that is worth a line."""
EVERY: Final = 10.0
"""Seconds between two lines about a rebuild."""


class ListProgress:
    """Reports through `say` how far the lists lag when a projector has just started.

    `count` returns how many changes are in the log but not in the lists.
    """

    def __init__(self, count: Callable[[], int], say: Callable[[str], None]) -> None:
        self._count = count
        self._say = say
        self._building = False
        self._over = False
        self._next_line = float("-inf")

    def watch(self) -> None:
        """Check once: report that the lists are being built, and later that they are complete.

        Does nothing once the lists have been complete. Raises what `count` raises.
        """
        if self._over:
            return
        lag = self._count()
        if not self._building and lag >= NOTABLE:
            self._building = True
            self._say(
                f"the lists are being built, {lag} changes to go: until they are complete, searches"
                " and exports leave games out"
            )
        elif lag < NOTABLE and not (self._building and lag):
            self._over = True
            if self._building:
                self._say("the lists are complete")

    def follow_rebuild(self, done: int, total: int) -> None:
        """Report from time to time how many of all games a rebuild has listed."""
        self._building, self._over = True, False
        if time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + EVERY
            self._say(f"the lists are being built from the log: {done} of {total} games")
