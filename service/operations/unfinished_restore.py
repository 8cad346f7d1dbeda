"""A store into which a backup is being restored, or was restored in part."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import redis

from service.operations.backup_errors import RestoreBusy, RestoreUnfinished
from service.operations.renewed_lock import renew_lock

RESTORING_KEY: Final = "movelog:restoring"
"""Set in a store while a backup is being restored into it, and deleted with its last lines.

It says which backup, and into which places (`service.operations.restore_target`).
"""
RESTORE_LOCK: Final = "movelog:restoring:lock"
"""Held by the process that restores into a store."""
HELD: Final = 15.0
"""Seconds after which the lock of a process that died is released."""


@contextmanager
def hold_restore(client: redis.Redis) -> Iterator[Callable[[], None]]:
    """Keep other processes from restoring into a store; raises RestoreBusy if one does so.

    Waits for the lock of one that may have died. Yields a function that raises RestoreBusy if the
    lock was lost, because this process stood still for too long.
    """
    lock = client.lock(RESTORE_LOCK, HELD, thread_local=False)
    if not lock.acquire(blocking_timeout=HELD + 1):
        raise RestoreBusy
    with renew_lock(lock, HELD, RestoreBusy) as check:
        yield check


def refuse_unfinished_restore(client: redis.Redis) -> None:
    """Raise RestoreUnfinished for a store that holds part of a backup."""
    if client.exists(RESTORING_KEY):
        raise RestoreUnfinished
