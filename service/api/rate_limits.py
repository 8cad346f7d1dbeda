"""The rate limit: how many requests a player, or an address without a token, may make.

A page is one request, whatever it asks of the API and whatever files it is made of.
"""

from __future__ import annotations

import math
import threading
import time
from collections import Counter
from collections.abc import Mapping
from typing import Final

from flask import request
from flask.globals import request_ctx
from limits import RateLimitItem, parse
from redis import Redis, RedisError

from service.api.context import find_bearer, get_web, name_client
from service.api.errors import TooManyRequests

UNLIMITED = ("/healthz", "/readyz", "/metrics")
FILES: Final = "/static/"
"""What a page is made of, beside its text; the page alone is counted."""
WITHIN: Final = "movelog.within"
"""Is set in the environment of a request that another one makes within the process; no header of
a client's can set it."""
COUNTED: Final = "movelog.counted"
"""Is set in the environment of a request that was counted already, to the refusal or to None; no
header of a client's can set it."""
EXCHANGE: Final = 1.0
"""Seconds between two times at which a web process tells the others what it has counted."""


def check_token() -> None:
    """Raise BadToken for a bad token, also where none is needed, or the refusal there was."""
    refusal = request.environ.get(COUNTED)
    if refusal is not None:
        raise refusal
    if request.path not in UNLIMITED:
        find_bearer()


def count_request() -> None:
    """Count one more thing that this request asks for, where there is a limit.

    Raises TooManyRequests.
    """
    limit = get_web().rate_limit
    if limit is not None:
        limit.count()


class RateLimit:
    """A limit in the notation of the `limits` library (`600/minute`), by fixed windows of time.

    Each web process counts by itself: the library's own counters cost every request a round trip
    to Redis or a thread, a fifth of what a move costs (`make bench`, submit). Once a second it
    adds what it has counted to the counts in `store` and learns what all have. So several
    processes together let through at most what each of them takes in a second beyond the limit
    (and never more than the limit each); while the store is away, each counts for itself.
    """

    def __init__(self, limit: str, store: Redis) -> None:
        self.item: RateLimitItem = parse(limit)
        self._store = store
        self._seconds = self.item.get_expiry()
        self._window = 0
        self._known: dict[str, int] = {}
        self._new: Counter[str] = Counter()
        self._due = 0.0
        self._exchanging = threading.Lock()

    def check(self) -> None:
        """Count this request; raises TooManyRequests, or BadToken before that.

        What a page asks of the API to be rendered is not counted again: the page was.
        """
        own = request_ctx.request
        if own.path in UNLIMITED or own.method == "OPTIONS" or own.path.startswith(FILES):
            return
        if WITHIN in own.environ or COUNTED in own.environ:
            check_token()
        else:
            self.count()

    def count(self) -> None:
        """Count one more thing that this request asks for; raises as `check` does."""
        self.count_for(name_client())

    def count_for(self, key: str) -> None:
        """Count one more thing that the client named so asks for; raises TooManyRequests."""
        seconds = self._seconds
        now = time.time()
        if now // seconds != self._window:
            self._window = int(now // seconds)
            self._known.clear()
            self._new.clear()
            self._due = now + EXCHANGE
        self._new[key] += 1
        count = self._known.get(key, 0) + self._new[key]
        if now >= self._due and self._exchanging.acquire(blocking=False):
            self._due = now + EXCHANGE
            threading.Thread(target=self._exchange, name="limits", daemon=True).start()
        if count > self.item.amount:
            left = (self._window + 1) * seconds - now
            raise TooManyRequests(str(self.item), math.ceil(left))

    def _exchange(self) -> None:
        """Add what is new to the counts of all processes, and take these over."""
        try:
            window, told = self._window, dict(self._new)
            counts = self._add(window, told)
            if window == self._window:
                self._known.update(counts)
                self._new.subtract(told)
                self._new = +self._new
        except RedisError:
            # Who needs the store says that it is away; what is new is told the next time.
            return
        finally:
            self._exchanging.release()

    def _add(self, window: int, new: Mapping[str, int]) -> dict[str, int]:
        """Add to the counts of a window; returns them as they are then."""
        name = f"movelog:rate:{self._seconds}:{window}"
        pipeline = self._store.pipeline(transaction=False)
        for key, count in new.items():
            pipeline.hincrby(name, key, count)
        pipeline.expire(name, 2 * self._seconds)
        return dict(zip(new, pipeline.execute(), strict=False))
