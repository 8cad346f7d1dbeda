"""Records in Redis, beside the log, which routes answer.

movelog:{webhooks}:receiver:<route>   hash: the strikes of a route, and until when it cools

A receiver is a URL's scheme, host and port (`service.webhooks.sending.normalise_receiver`). A route
is one owner's way to it, so that an owner whose path never answers affects nobody else's
deliveries.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

import redis

from service.webhooks.sending import normalise_receiver
from service.webhooks.webhook import Webhook

RECEIVER: Final = "movelog:{webhooks}:receiver:"
STRIKES: Final = 3
"""Deliveries in a row without any answer after which a route is left alone for a while."""
FIRST_COOLING: Final = 60_000
"""Milliseconds for which it is first left alone; each further strike doubles them."""
LONGEST_COOLING: Final = 3_600_000
REMEMBERED: Final = 2 * LONGEST_COOLING
"""Milliseconds after its last strike at which a route begins anew."""


def route_of(hook: Webhook) -> str:
    """The route of a webhook's deliveries: its owner and the receiver, a blank between them."""
    return f"{hook.owner} {normalise_receiver(hook.url)}"


class Receivers:
    """Counts the strikes of routes; `clock` gives milliseconds since 1970 UTC."""

    def __init__(self, store: redis.Redis, clock: Callable[[], int]) -> None:
        self.store = store
        self.clock = clock

    def strike(self, route: str) -> int | None:
        """Record an unanswered delivery; returns until when the route cools, None if it does not.

        Any answer counts as one, even a refusal, since it does not delay other deliveries.
        """
        key = f"{RECEIVER}{route}"
        until: int | None = None

        def count(pipeline: Any) -> None:
            nonlocal until
            strikes = int(pipeline.hget(key, "strikes") or 0) + 1
            until = None if strikes < STRIKES else self.clock() + cooling(strikes)
            pipeline.multi()
            pipeline.hset(key, "strikes", strikes)
            if until is not None:
                pipeline.hset(key, "until", until)
            pipeline.pexpire(key, REMEMBERED)

        # Counted anew if the route is answered, or has another strike, in the meantime.
        self.store.transaction(count, key)
        return until

    def answered(self, route: str) -> bool:
        """Note that a route was answered and begins anew; returns whether it had strikes."""
        return bool(self.store.delete(f"{RECEIVER}{route}"))

    def striking(self, routes: Collection[str]) -> set[str]:
        """Return which of these routes have strikes."""
        return set(self._noted(routes, "strikes"))

    def cooling(self, routes: Collection[str]) -> dict[str, int]:
        """The times until which those of these routes cool that do so."""
        now = self.clock()
        return {r: until for r, until in self._noted(routes, "until").items() if until > now}

    def _noted(self, routes: Collection[str], field: str) -> dict[str, int]:
        asked = list(dict.fromkeys(routes))
        pipeline = self.store.pipeline(transaction=False)
        for route in asked:
            pipeline.hget(f"{RECEIVER}{route}", field)
        found: list[Any] = pipeline.execute()
        return {r: int(value) for r, value in zip(asked, found, strict=True) if value is not None}


def cooling(strikes: int) -> int:
    """The milliseconds for which a route with `strikes` strikes is left alone.

    >>> [cooling(strikes) // 1000 for strikes in (3, 4, 5, 20)]
    [60, 120, 240, 3600]
    """
    doublings = min(strikes - STRIKES, 16)
    return min(FIRST_COOLING << doublings, LONGEST_COOLING)
