"""Archives old games and trims the feed, a turn at a time.

Any number of processes may have this duty; by a lease, one at a time takes a turn.
"""

from __future__ import annotations

import logging
import signal
from contextlib import suppress
from threading import Event
from time import monotonic
from typing import Final

import redis
from redis.exceptions import LockError

from service.archive.errors import DamagedSegment, DirectoryAway
from service.archive.status import read_status
from service.composition.service import Service, now
from service.operations.archive_turn import HOUR, is_pressed, take_turn
from service.storage.errors import ObjectMissing, ObjectsAway

log = logging.getLogger(__name__)

LEASE: Final = "movelog:{archive}:turn"
LEASED: Final = 120
"""Seconds after which the lease of a process that died is free again."""
LOOK: Final = 60.0
"""Seconds between two looks at whether a turn is due."""
EVERY: Final = HOUR
"""Milliseconds between two turns if nothing is urgent."""


class ArchiveDuty:
    """Takes the turns of the archive; there is one object in each process."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._relieved_at = -EVERY
        self._has_more = False

    def run(self, stop: Event) -> None:
        """Take turns until `stop` is set; a store that is away is waited for."""
        while not stop.is_set():
            try:
                self.step(stop)
            except (
                redis.RedisError,
                ObjectsAway,
                ObjectMissing,
                DirectoryAway,
                DamagedSegment,
            ) as error:
                self._has_more = False
                log.warning("the archive waits: %s", error)
            if not self._has_more:
                stop.wait(LOOK)

    def step(self, stop: Event) -> bool:
        """Take a turn if one is due and nobody else takes it; returns whether one was taken."""
        if not self._is_due():
            return False
        lock = self.service.store.lock(LEASE, LEASED, thread_local=False)
        if not lock.acquire(blocking=False):
            self._has_more = False
            return False
        renewed_at = monotonic()

        def go_on() -> bool:
            nonlocal renewed_at
            if monotonic() - renewed_at > LEASED / 4:
                # Raises if the lease was lost: another process goes on with this turn.
                lock.reacquire()
                renewed_at = monotonic()
            return not stop.is_set()

        try:
            turn = take_turn(self.service, go_on)
        finally:
            with suppress(LockError):
                lock.release()
        self._has_more = not turn.is_complete and turn.archived.streams > 0
        if not turn.archived.streams:
            # Space is short, but nothing could be archived.
            self._relieved_at = now()
        if turn.archived.streams or turn.trimmed.pointers:
            log.info(
                "%d games and %d feed entries archived",
                turn.archived.streams,
                turn.trimmed.pointers,
            )
        return True

    def _is_due(self) -> bool:
        if self._has_more or is_long_ago(read_status(self.service.store).at):
            return True
        return is_long_ago(self._relieved_at) and is_pressed(self.service)


def is_long_ago(at: int) -> bool:
    """Whether EVERY has passed since a time, or it is that far ahead: a wrong clock gave it."""
    return abs(now() - at) >= EVERY


def keep_archive(service: Service) -> None:
    """Take the archive's turns until SIGTERM or SIGINT."""
    stop = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, frame: stop.set())
    ArchiveDuty(service).run(stop)
