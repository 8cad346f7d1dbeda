"""The lock of a place for backups: one process at a time writes there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import redis
from redis.lock import Lock

from service.archive.collector import BACKUP_LOCK
from service.log.redis_exchange import LogClient
from service.operations.backup_errors import BackupBusy
from service.operations.renewed_lock import renew_lock
from service.storage.capacity import describe_full_storage

HELD: Final = 30
"""Seconds after which the lock of a process that died is released."""
PAUSE: Final = 0.1
"""Seconds between two looks whether it was released."""


@dataclass(frozen=True, slots=True)
class PlaceLock:
    """What a process has of the lock.

    `check` raises BackupBusy if another process may write into the place. A store that has no room
    cannot keep the lock, so that it is not held: then nothing may be removed from the place.
    """

    check: Callable[[], None]
    is_held: bool


@contextmanager
def hold_place(client: LogClient, place: str) -> Iterator[PlaceLock]:
    """Hold the lock of a place, after waiting until no other process does."""
    lock = client.lock(BACKUP_LOCK, HELD, thread_local=False)
    if _acquire(lock, client):
        with renew_lock(lock, HELD, lambda: BackupBusy(place)) as check:
            yield PlaceLock(check, is_held=True)
        return

    def look() -> None:
        if client.exists(BACKUP_LOCK):
            raise BackupBusy(place)

    yield PlaceLock(look, is_held=False)


def _acquire(lock: Lock, client: LogClient) -> bool:
    """Acquire the lock; False if nobody has it and the store has no room for it."""
    while True:
        try:
            if lock.acquire(blocking=False):
                return True
        except redis.RedisError as error:
            if describe_full_storage(error) is None:
                raise
            if not client.exists(BACKUP_LOCK):
                return False
        time.sleep(PAUSE)
