"""What ends a search: its limits, the clock, or a caller's request."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from engine.search.helpers import Helpers
from engine.search.limits import Limits
from engine.search.time_management import TimeManager

POLL_INTERVAL: Final = 2048
"""The most nodes between two looks at the clock and at `stop`."""
FIRST_INTERVAL: Final = 64
"""The same at the beginning of a search with limited time, and where nodes take long."""
LONG: Final = 0.004
"""Seconds that are too long between two looks, in a search with limited time."""


class Stopped(Exception):
    """Raised inside a search to leave it from any depth when a limit or `stop` ends it."""


def never_stop() -> bool:
    """The `stop` of a search that only its limits end."""
    return False


class LimitWatch:
    """The limits of one search, which begins when this is made; `clock` returns seconds."""

    def __init__(
        self,
        limits: Limits,
        manager: TimeManager,
        clock: Callable[[], float],
        helpers: Helpers,
        stop: Callable[[], bool],
    ) -> None:
        self.limits = limits
        self.manager = manager
        self.helpers = helpers
        self._clock = clock
        self._stop = stop
        self._begun = self._looked = clock()
        self._interval = FIRST_INTERVAL if manager.is_limited else POLL_INTERVAL

    @property
    def seconds(self) -> float:
        """The seconds since the search began."""
        return self._clock() - self._begun

    def poll(self, nodes: int) -> int:
        """Check the limits; see `SearchStack`. Raises Stopped."""
        if self.helpers.count_nodes(nodes) >= (self.limits.nodes or math.inf):
            raise Stopped
        if self.manager.is_limited:
            now = self._clock()
            if now - self._begun >= self.manager.deadline:
                raise Stopped
            self._adapt_interval(now - self._looked)
            self._looked = now
        if self._stop():
            raise Stopped
        return self.next_poll(nodes)

    def next_poll(self, nodes: int) -> int:
        """The number of nodes at which to poll next."""
        if self.limits.nodes is None:
            return nodes + self._interval
        return min(nodes + self._interval, self.limits.nodes)

    def _adapt_interval(self, passed: float) -> None:
        """Look more often where the nodes since the last look took long, as in plain Python."""
        if passed > LONG:
            self._interval = max(FIRST_INTERVAL, self._interval // 2)
        elif passed < LONG / 2:
            self._interval = min(POLL_INTERVAL, 2 * self._interval)
