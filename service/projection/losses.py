"""When the log was last found to have lost events that the lists knew.

The lists are mended within seconds, so what is found in them then does not last long enough for
whoever looks once a minute.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Final

import redis

from service.log.interface import EventLog
from service.projection.checkpoints import read_checkpoints
from service.projection.database.database import Database
from service.projection.errors import LogBehind
from service.projection.heads import find_ahead

log = logging.getLogger(__name__)

LOST: Final = "movelog:{lists}:lost"
"""The key that has the time, in milliseconds since 1970 UTC."""


class Losses:
    """The note of the last loss, kept in `store`; `clock` gives milliseconds since 1970 UTC."""

    def __init__(self, store: redis.Redis, clock: Callable[[], int]) -> None:
        self.store = store
        self.clock = clock

    def note(self, events: EventLog, database: Database) -> None:
        """Note the time, and log it, if the lists know more than the log.

        To be called before they are mended. Raises DatabaseError and what the log raises.
        """
        if ahead := find_ahead(events, database.read(read_checkpoints)):
            log.error("%s", LogBehind(sorted(ahead)))
            self.store.set(LOST, self.clock())

    def last(self) -> int:
        """When a loss was last noted, in milliseconds since 1970 UTC; 0 if never."""
        found: Any = self.store.get(LOST)
        return int(found or 0)
