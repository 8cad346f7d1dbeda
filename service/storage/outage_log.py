"""What is logged of an outage: few lines, however often work is tried again meanwhile."""

from __future__ import annotations

import logging
from time import monotonic
from typing import Final

from service.storage.capacity import describe_full_storage
from service.storage.errors import StorageFull

SILENCE: Final = 60.0
"""Seconds until an outage that goes on is logged again."""
CALM: Final = 10.0
"""Seconds without an error after which an outage has ended."""


class OutageLog:
    """Logs that a store is away or full at once, and then once a minute for each kind of error.

    A part that calls `note_success` whenever the store has worked also logs when an outage ended.

    Each part of a process that waits for the store has its own.
    """

    def __init__(self, log: logging.Logger) -> None:
        self._log = log
        self._logged: dict[type[BaseException], float] = {}
        self._began: float | None = None
        self._failed = 0.0

    def note(self, error: BaseException) -> None:
        """Log an error of the store, unless its kind was logged within the last minute."""
        self._failed = monotonic()
        if self._began is None:
            self._began = self._failed
        if not self.is_due(error):
            return
        if describe_full_storage(error) is None:
            self._log.warning("the store is away: %s", error)
        else:
            self._log.warning("the store has no room: waiting until there is")

    def note_success(self) -> None:
        """Log that the store works again, if its last error was a few seconds ago.

        While a store is full, or comes and goes, some of the work still succeeds.
        """
        if self._began is not None and monotonic() - self._failed >= CALM:
            self._log.warning("the store works again after %.0f s", self._failed - self._began)
            self._began = None

    def is_due(self, error: BaseException) -> bool:
        """Whether an error is to be logged now; if so, it counts as logged."""
        kind = type(error) if describe_full_storage(error) is None else StorageFull
        now = monotonic()
        if now - self._logged.get(kind, float("-inf")) < SILENCE:
            return False
        self._logged[kind] = now
        return True
