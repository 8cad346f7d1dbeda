"""Whether work has to wait: how a store and a disk report that there is no room, or are away."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path
from typing import Final

import redis
from redis.exceptions import OutOfMemoryError, RedisError

from service.storage.errors import ObjectsAway, StorageFull

DISK_ERRORS: Final = (errno.ENOSPC, errno.EDQUOT)
"""The errors of a disk that is full, or on which this user's quota is used up."""

STORE_REFUSALS: Final = ("OOM command not allowed", "MISCONF", "NOREPLICAS")
"""The texts of refusals for which the client has no class: the store's memory is full, it cannot
write to its disk, or it was told to write nothing while its disk is full (or, elsewhere, while no
replica keeps up). Redis 6 wraps them in a sentence about the script."""

RESERVE: Final = 64 << 20
"""Bytes of a disk that are kept free, so that what has to be written there at the end still can be.
On a small disk it is an eighth."""
SHARE: Final = 8
"""No more than one part in this many of a disk is kept free for one purpose."""

STORE_AWAY: Final = (redis.ConnectionError, redis.TimeoutError)
"""The errors of a store that cannot be reached at the moment, or does not answer."""

PROBED: Final = ("movelog:partitions", "movelog:log")
"""One of these keys exists wherever a log was begun, here or in a Redis Cluster, so that setting it
again changes nothing."""


def describe_full_storage(error: BaseException) -> StorageFull | None:
    """A StorageFull that describes an error caused by a store or a disk without room; else None."""
    if isinstance(error, StorageFull):
        return error
    if isinstance(error, RedisError):
        refused = isinstance(error, OutOfMemoryError)
        return StorageFull() if refused or any(t in str(error) for t in STORE_REFUSALS) else None
    if isinstance(error, OSError) and error.errno in DISK_ERRORS:
        return StorageFull()
    return None


def must_wait(error: BaseException) -> bool:
    """Whether work failed through no fault of its own: for lack of room, or of a store."""
    is_away = isinstance(error, (ObjectsAway, *STORE_AWAY))
    return is_away or describe_full_storage(error) is not None


def measure_spare_room(folder: Path) -> int:
    """The bytes free on the folder's disk beyond the reserve; negative if that is in use."""
    return shutil.disk_usage(folder).free - reserve(folder)


def reserve(folder: Path) -> int:
    """The bytes of the folder's disk that are kept free."""
    return limit_share(RESERVE, folder)


def limit_share(wanted: int, folder: Path) -> int:
    """The bytes to keep free of those `wanted`: at most an eighth of the folder's disk."""
    return min(wanted, shutil.disk_usage(folder).total // SHARE)


def can_write(store: redis.Redis) -> bool:
    """Whether a store with a log accepts writes at this moment.

    It sets a key that is there already: a store without room refuses that, and for any other it
    changes nothing. Raises RedisError for one that cannot be reached.
    """
    try:
        for key in PROBED:
            if store.exists(key):
                store.setnx(key, 0)
    except RedisError as error:
        if describe_full_storage(error) is None:
            raise
        return False
    return True
