"""The rate limit: how many requests a player, or an address without a valid token, may make.

A page counts as one request, whatever it requests from the API and whatever files it loads.
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

from service.api.context import address, find_bearer, get_web, name_client
from service.api.errors import TooManyRequests
from service.player.errors import BadToken

UNLIMITED = ("/healthz", "/readyz", "/metrics")
FILES: Final = "/static/"
"""The path of files that a page is made of; only the page itself is counted."""
WITHIN: Final = "movelog.within"
"""The environment key of a request that another one makes within the process.

No client's header can set it.
"""
COUNTED: Final = "movelog.counted"
"""The environment key of a request that was counted already.

Its value is the refusal or None. No client's header can set it.
"""
EXCHANGE: Final = 1.0
"""Seconds between two times at which a web process shares its counts with the others."""


def check_token() -> None:
    """Raise BadToken for a bad token, even if none is needed, or the earlier refusal."""
    refusal = request.environ.get(COUNTED)
    if refusal is not None:
        raise refusal
    if request.path not in UNLIMITED:
        find_bearer()


def count_request(times: int = 1) -> None:
    """Count that many more things that this request asks for, if there is a limit.

    Raises TooManyRequests.
    """
    limit = get_web().rate_limit
    if limit is not None:
        for _ in range(times):
            limit.count()


class RateLimit:
    """A limit in the notation of the `limits` library (`600/minute`), by fixed windows of time.

    Each web process counts by itself: the library's own counters cost every request a round trip to
    Redis or a thread, a fifth of what a move costs (`make bench`, submit). Once a second it adds
    its counts to those in `store` and reads the sums. So several processes together exceed the
    limit by at most what each of them accepts in a second (and none accepts more than the limit).
    While the store is away, each counts for itself.
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
        """Count this request; raises TooManyRequests, or BadToken for one within the limit.

        The API requests that render a page are not counted again: the page was.
        """
        own = request_ctx.request
        if own.path in UNLIMITED or own.method == "OPTIONS" or own.path.startswith(FILES):
            return
        if WITHIN in own.environ or COUNTED in own.environ:
            check_token()
        else:
            self.count()

    def count(self) -> None:
        """Count one more thing that this request asks for; raises the errors of `check`.

        A bad token counts for the address, as having none does.
        """
        try:
            client = name_client()
        except BadToken:
            self.count_for(address())
            raise
        self.count_for(client)

    def count_for(self, key: str) -> None:
        """Count one more thing that the client with this key asks for; raises TooManyRequests."""
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
        """Add the new counts to those of all processes, and take these over."""
        try:
            window, told = self._window, dict(self._new)
            counts = self._add(window, told)
            if window == self._window:
                self._known.update(counts)
                self._new.subtract(told)
                self._new = +self._new
        except RedisError:
            # Whoever needs the store reports that it is away; the new counts are shared the next
            # time.
            return
        finally:
            self._exchanging.release()

    def _add(self, window: int, new: Mapping[str, int]) -> dict[str, int]:
        """Add to the counts of a window; returns the sums."""
        name = f"movelog:rate:{self._seconds}:{window}"
        pipeline = self._store.pipeline(transaction=False)
        for key, count in new.items():
            pipeline.hincrby(name, key, count)
        pipeline.expire(name, 2 * self._seconds)
        return dict(zip(new, pipeline.execute(), strict=False))
