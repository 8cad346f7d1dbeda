"""Rewrites the store's append-only file without what was erased.

What is deleted from Redis stays in its append-only file until the server rewrites it, which it does
by itself only once the file has doubled.

movelog:erased             when something was first erased since the last rewrite, in ms since 1970
movelog:erased:rewriting   the same, of the rewrite that was begun last and is not known to be done
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Final

import redis
from redis.exceptions import ResponseError

from service.storage.cache_writes import cache_writes

ERASED: Final = "movelog:erased"
UNDER_WAY: Final = "movelog:erased:rewriting"
DELAY: Final = 24 * 3600 * 1000
"""Milliseconds after an erasure in which others are awaited: a rewrite copies the whole store."""


def note_erasure(store: redis.Redis, at: int) -> None:
    """Note that something was erased, if the store has room for the note."""
    with cache_writes(store) as pipeline:
        pipeline.set(ERASED, at, nx=True)


def rewrite_without_erased(store: redis.Redis, now: int) -> None:
    """Rewrite the file if something was erased long enough ago; to be called now and then.

    A rewrite that ended with its server is begun again. Raises RedisError.
    """
    told: Any = store.info("persistence")
    if told["aof_rewrite_in_progress"] or told["aof_rewrite_scheduled"]:
        return
    is_rewritten = told["aof_last_rewrite_time_sec"] >= 0
    if is_rewritten and told["aof_last_bgrewrite_status"] == "ok":
        store.delete(UNDER_WAY)
    noted: Any = store.get(ERASED)
    # A time that is far ahead was noted when the clock was wrong.
    if noted is not None and abs(now - int(noted)) >= DELAY:
        # What is erased during the rewrite needs another one.
        store.rename(ERASED, UNDER_WAY)
    if store.exists(UNDER_WAY):
        with suppress(ResponseError):  # a snapshot is under way
            store.bgrewriteaof()
