"""Which receivers answer, in Redis beside the log.

movelog:{webhooks}:receiver:<receiver>   hash: the strikes of a receiver, and until when it cools

A receiver is where a URL leads (`service.webhooks.sending.receiver_of`), whoever's webhooks do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

import redis

RECEIVER: Final = "movelog:{webhooks}:receiver:"
STRIKES: Final = 3
"""Deliveries in a row without any answer, after which a receiver is left alone for a while."""
FIRST_COOLING: Final = 60_000
"""Milliseconds it is left alone for at first; each further strike doubles them."""
LONGEST_COOLING: Final = 3_600_000
REMEMBERED: Final = 2 * LONGEST_COOLING
"""Milliseconds after its last strike, when a receiver begins anew."""


class Receivers:
    """Counts the strikes of receivers; `clock` gives milliseconds since 1970 UTC."""

    def __init__(self, store: redis.Redis, clock: Callable[[], int]) -> None:
        self.store = store
        self.clock = clock

    def strike(self, receiver: str) -> int | None:
        """A delivery was not answered; returns until when the receiver cools, None if it does not.

        Any answer is one, also a refusal: who answers holds nobody up.
        """
        key = f"{RECEIVER}{receiver}"
        pipeline = self.store.pipeline()
        pipeline.hincrby(key, "strikes", 1)
        pipeline.pexpire(key, REMEMBERED)
        strikes, _ = pipeline.execute()
        if strikes < STRIKES:
            return None
        until: int = self.clock() + cooling(strikes)
        self.store.hset(key, "until", until)
        return until

    def answered(self, receiver: str) -> bool:
        """A receiver has answered and begins anew; tells whether it had strikes."""
        return bool(self.store.delete(f"{RECEIVER}{receiver}"))

    def striking(self, receivers: Collection[str]) -> set[str]:
        """Those of these receivers that have strikes."""
        return set(self._noted(receivers, "strikes"))

    def cooling(self, receivers: Collection[str]) -> dict[str, int]:
        """Until when each of these receivers cools that does."""
        now = self.clock()
        return {r: until for r, until in self._noted(receivers, "until").items() if until > now}

    def _noted(self, receivers: Collection[str], field: str) -> dict[str, int]:
        asked = list(dict.fromkeys(receivers))
        pipeline = self.store.pipeline(transaction=False)
        for receiver in asked:
            pipeline.hget(f"{RECEIVER}{receiver}", field)
        found: list[Any] = pipeline.execute()
        return {r: int(value) for r, value in zip(asked, found, strict=True) if value is not None}


def cooling(strikes: int) -> int:
    """Milliseconds for which a receiver of so many strikes is left alone.

    >>> [cooling(strikes) // 1000 for strikes in (3, 4, 5, 20)]
    [60, 120, 240, 3600]
    """
    doublings = min(strikes - STRIKES, 16)
    return min(FIRST_COOLING << doublings, LONGEST_COOLING)
