"""Outages of the store, as opposed to single games that cannot be read."""

from __future__ import annotations

import redis

from service.log.unreadable import Unreadable


def is_outage(error: Exception) -> bool:
    """Whether an error says that the store is away, and nothing of the game that was read."""
    return isinstance(error, redis.RedisError) and not isinstance(error, Unreadable)
