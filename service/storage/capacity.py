"""Whether there is room for more: how a store and a disk say that there is none."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path
from typing import Final

import redis
from redis.exceptions import OutOfMemoryError, RedisError

from service.storage.errors import ObjectsAway, StorageFull

DISK_ERRORS: Final = (errno.ENOSPC, errno.EDQUOT)
"""What a disk says that takes no more, of anybody or of this user."""

STORE_REFUSALS: Final = ("OOM command not allowed", "MISCONF", "NOREPLICAS")
"""What a store's refusal says, where the client has no class for it: that its memory is full,
that it cannot write its disk, and that it was told to write nothing while its disk is full (or,
elsewhere, while no replica keeps up). Redis 6 wraps them into a sentence about the script."""

RESERVE: Final = 64 << 20
"""Bytes of a disk that are kept free, so that what has to be written there at the end still can be;
of a small disk an eighth."""
SHARE: Final = 8

PROBED: Final = ("movelog:partitions", "movelog:log")
"""One of these keys is there wherever a log was begun, here or in a Redis Cluster, so that setting
it anew changes nothing."""


def describe_full_storage(error: BaseException) -> StorageFull | None:
    """What to say of an error that a store or a disk without room has caused; else None."""
    if isinstance(error, StorageFull):
        return error
    if isinstance(error, RedisError):
        refused = isinstance(error, OutOfMemoryError)
        return StorageFull() if refused or any(t in str(error) for t in STORE_REFUSALS) else None
    if isinstance(error, OSError) and error.errno in DISK_ERRORS:
        return StorageFull()
    return None


def must_wait(error: BaseException) -> bool:
    """Whether work has failed for want of room, or of the object store: it is not to blame."""
    return isinstance(error, ObjectsAway) or describe_full_storage(error) is not None


def measure_spare_room(folder: Path) -> int:
    """The bytes of the folder's disk above the reserve; negative where it is touched."""
    return shutil.disk_usage(folder).free - reserve(folder)


def reserve(folder: Path) -> int:
    """The bytes of the folder's disk that are kept free."""
    return min(RESERVE, shutil.disk_usage(folder).total // SHARE)


def can_write(store: redis.Redis) -> bool:
    """Whether a store with a log takes writes at this moment.

    It is asked to set what is there already: a store without room refuses that, and any other
    has nothing to write down for it. Raises RedisError for one that cannot be reached.
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
