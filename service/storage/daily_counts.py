"""Counts of how much each player uses of something in a day (UTC).

<prefix><player>:<day>   the amount used on a day (days since 1970)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import redis

from service.storage.cache_writes import cache_writes

DAY: Final = 24 * 3600


@dataclass(frozen=True, slots=True)
class DailyCount:
    """What one player has used on one day; `clock` returns milliseconds."""

    store: redis.Redis
    clock: Callable[[], int]
    player_key: str
    day: int

    @property
    def key(self) -> str:
        """Its Redis key."""
        return f"{self.player_key}:{self.day}"

    def add(self, amount: int) -> int:
        """Add an amount before it is used; returns how much it is then in all."""
        pipeline = self.store.pipeline(transaction=False)
        pipeline.incrby(self.key, amount)
        pipeline.expire(self.key, 2 * DAY)
        return int(pipeline.execute()[0])

    def add_within(self, amount: int, most: int) -> bool:
        """Add an amount before it is used, unless that makes more than `most`; returns whether."""
        within = self.add(amount) <= most
        if not within:
            self.give_back(amount)
        return within

    def give_back(self, amount: int) -> None:
        """Take off what was added but not used."""
        with cache_writes(self.store) as pipeline:
            pipeline.decrby(self.key, amount)

    def seconds_left(self) -> int:
        """Seconds until the day ends, at least one."""
        return max(1, (self.day + 1) * DAY - self.clock() // 1000)


class DailyCounts:
    """Each player's count of today, under keys that begin with `prefix`."""

    def __init__(self, store: redis.Redis, clock: Callable[[], int], prefix: str) -> None:
        self.store = store
        self.clock = clock
        self.prefix = prefix

    def of(self, player: str) -> DailyCount:
        """A player's count of today; what is added to it tomorrow still counts for today."""
        day = self.clock() // 1000 // DAY
        return DailyCount(self.store, self.clock, f"{self.prefix}{player}", day)
