"""A lock in a store that its holder renews for as long as it works."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread

import redis
from redis.exceptions import LockError
from redis.lock import Lock


@contextmanager
def renew_lock(
    lock: Lock, seconds: float, refuse: Callable[[], Exception]
) -> Iterator[Callable[[], None]]:
    """Renew an acquired lock of this many seconds, and release it at the end.

    Yields a function that raises what `refuse` returns if the lock was lost, because this process
    stood still for too long.
    """
    ended = Event()

    def renew() -> None:
        while not ended.wait(seconds / 6):
            with suppress(redis.RedisError):
                lock.reacquire()

    def check() -> None:
        try:
            lock.reacquire()
        except LockError as error:
            raise refuse() from error

    renewing = Thread(target=renew, daemon=True)
    renewing.start()
    try:
        yield check
    finally:
        ended.set()
        renewing.join()
        with suppress(redis.RedisError):
            lock.release()
