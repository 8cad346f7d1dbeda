"""Connections to Redis: as many as a process may hold, and the others wait for one."""

from __future__ import annotations

from typing import Final

import redis

from service.settings import Settings
from service.storage.open_files import bound_redis_connections, read_file_limit

PATIENCE: Final = 30.0
"""Seconds to wait for a free connection before the store counts as away."""


def connect(url: str, settings: Settings) -> redis.Redis:
    """A client of the Redis at this URL.

    Hundreds of requests at once share `settings.redis_connections` connections, or fewer where
    the process may open few files: one for which none is free waits for its turn, PATIENCE seconds
    at most (then redis.ConnectionError).
    """
    most = bound_connections(settings)
    pool = redis.BlockingConnectionPool.from_url(url, max_connections=most, timeout=PATIENCE)
    return redis.Redis.from_pool(pool)


def bound_connections(settings: Settings) -> int:
    """How many connections to one store a process holds at most."""
    return bound_redis_connections(read_file_limit(), settings.redis_connections)
