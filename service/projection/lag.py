"""How far the projections lag behind the log, cached so that every answer can say it."""

from __future__ import annotations

import time
from typing import Final

from service.log.interface import EventLog
from service.log.noted_reads import note_lag
from service.projection.checkpoints import Checkpoints

REMEMBERED: Final = 1.0
"""Seconds for which a count is cached."""


class Lag:
    """Counts the changes that are in the log and not projected yet."""

    def __init__(self, checkpoints: Checkpoints, log: EventLog) -> None:
        self.checkpoints = checkpoints
        self.log = log
        self._known = (float("-inf"), 0)

    def events(self) -> int:
        """How many changes the lists and indexes do not show yet, at most a second ago."""
        with note_lag() as reads:
            counted_at, lag = self._known
            now = time.monotonic()
            if now - counted_at > REMEMBERED:
                lag = self.checkpoints.count_behind(self.log)
                self._known = (now, lag)
            reads.lag = lag
        return lag
