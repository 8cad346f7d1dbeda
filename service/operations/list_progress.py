"""Tells the operator, at the start of a service, that the lists are still being built."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import Final

import redis

from service.composition import CODEC
from service.log.redis import RedisEventLog
from service.projection.checkpoints import Checkpoints
from service.projection.database.database import Database
from service.projection.database.opening import open_database
from service.projection.errors import DatabaseError
from service.settings import Settings

NOTABLE: Final = 500
"""Changes that the lists lag behind by at least, if that is worth a line."""


class ListProgress:
    """Reports through `say` how far the lists lag when a service has just started."""

    def __init__(self, settings: Settings, say: Callable[[str], None]) -> None:
        self._settings = settings
        self._say = say
        self._database: Database | None = None
        self._building = False
        self._over = False

    def watch(self) -> None:
        """Look once: tell that the lists are being built, and later that they are complete.

        Does nothing once the lists have been complete. A store that is away is asked next time.
        """
        if self._over:
            return
        try:
            lag = self._count()
        except (redis.RedisError, DatabaseError):
            return
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

    def _count(self) -> int:
        """Count the changes that are in the log and not in the lists."""
        with closing(redis.Redis.from_url(self._settings.redis_url, socket_timeout=5)) as store:
            if self._database is None:
                self._database = open_database(self._settings.data_dir, self._settings.database_url)
            return Checkpoints(self._database).count_behind(RedisEventLog(store, CODEC))
