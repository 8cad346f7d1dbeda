"""Connections to Redis: as many as a process may hold, and the others wait for one."""

from __future__ import annotations

from typing import Final

import redis

from service.settings import Settings

PATIENCE: Final = 30.0
"""Seconds to wait for a free connection before the store counts as away."""


def connect(url: str, settings: Settings) -> redis.Redis:
    """A client of the Redis at this URL.

    Hundreds of requests at once share `settings.redis_connections` connections: one for which
    none is free waits for its turn, PATIENCE seconds at most (then redis.ConnectionError).
    """
    pool = redis.BlockingConnectionPool.from_url(
        url, max_connections=settings.redis_connections, timeout=PATIENCE
    )
    return redis.Redis.from_pool(pool)
