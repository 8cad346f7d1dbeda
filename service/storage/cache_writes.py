"""Writes to Redis that only save work, and can be lost at any time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import redis
from redis.exceptions import ResponseError


@contextmanager
def cache_writes(store: redis.Redis) -> Iterator[Any]:
    """Collect writes in a pipeline and carry them out at the end, if there are any.

    A store that is full, or a replica, refuses writes. That is ignored, so that a read does not
    fail because its result could not be cached; other errors of the store are raised.
    """
    pipeline = store.pipeline(transaction=False)
    yield pipeline
    if pipeline.command_stack:
        with suppress(ResponseError):
            pipeline.execute()
