"""How many requests a principal, or an address without a token, may make."""

from __future__ import annotations

import time

from flask import request
from limits import RateLimitItem, parse
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter

from service.api.context import bearer
from service.api.refusals import TooManyRequests
from service.settings import Settings

UNLIMITED = ("/healthz", "/readyz", "/metrics")


def check_token() -> None:
    """Raise BadToken for a bad token, also where none is needed."""
    if request.path not in UNLIMITED:
        bearer()


class RateLimit:
    """A limit in the notation of the `limits` library (`600/minute`).

    Each web process counts by itself: a count shared through Redis would cost every request a
    round trip, a fifth of what a move costs (`make bench`, submit).
    """

    def __init__(self, settings: Settings) -> None:
        self.item: RateLimitItem = parse(settings.rate_limit)
        self.limiter = FixedWindowRateLimiter(MemoryStorage())

    def check(self) -> None:
        """Count this request; raises TooManyRequests, or BadToken before that."""
        if request.path in UNLIMITED or request.method == "OPTIONS":
            return
        who = bearer()
        key = who.actor.player if who else request.remote_addr or "?"
        if not self.limiter.hit(self.item, key):
            reset = self.limiter.get_window_stats(self.item, key).reset_time
            raise TooManyRequests(str(self.item), max(1, round(reset - time.time())))
