"""How many requests a principal, or an address without a token, may make."""

from __future__ import annotations

import math
import time
from collections import Counter

from flask import request
from limits import RateLimitItem, parse

from service.api.context import bearer, client
from service.api.refusals import TooManyRequests
from service.settings import Settings

UNLIMITED = ("/healthz", "/readyz", "/metrics")


def check_token() -> None:
    """Raise BadToken for a bad token, also where none is needed."""
    if request.path not in UNLIMITED:
        bearer()


class RateLimit:
    """A limit in the notation of the `limits` library (`600/minute`), by fixed windows of time.

    Each web process counts by itself. The library's own counters cost every request a round trip
    to Redis or a thread, a fifth of what a move costs (`make bench`, submit); these are one
    dictionary, forgotten with its window.
    """

    def __init__(self, settings: Settings) -> None:
        self.item: RateLimitItem = parse(settings.rate_limit)
        self._seconds = self.item.get_expiry()
        self._window = 0
        self._counts: Counter[str] = Counter()

    def check(self) -> None:
        """Count this request; raises TooManyRequests, or BadToken before that."""
        if request.path in UNLIMITED or request.method == "OPTIONS":
            return
        key = client()
        seconds = self._seconds
        now = time.time()
        if now // seconds != self._window:
            self._window = int(now // seconds)
            self._counts.clear()
        self._counts[key] += 1
        if self._counts[key] > self.item.amount:
            left = (self._window + 1) * seconds - now
            raise TooManyRequests(str(self.item), math.ceil(left))
