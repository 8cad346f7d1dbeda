"""How far the feeds are projected."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final

import redis

from service.log.interface import FEED_START, EventLog

CHECKPOINTS: Final = "movelog:{index}:positions"
"""Hash: partition → how far its feed is projected. It shares the hash tag of the projections."""
POLL: Final = 0.01
"""Seconds between two looks at the positions while waiting."""


def order(position: str) -> tuple[int, int]:
    """A feed position as a value that sorts as the feed does.

    >>> order("9-1") < order("10-0")
    True
    """
    at, _, sequence = position.partition("-")
    return int(at), int(sequence)


class Checkpoints:
    """The positions up to which the projector has gone through each partition's feed."""

    def __init__(self, store: redis.Redis) -> None:
        self.store = store

    def load(self, partitions: int) -> dict[int, str]:
        """The position in every partition; the start of the feed where nothing was done."""
        stored: Any = self.store.hgetall(CHECKPOINTS)
        known = {int(partition): position.decode() for partition, position in stored.items()}
        return {p: known.get(p, FEED_START) for p in range(partitions)}

    def advance(self, reached: Mapping[int, str]) -> None:
        """Note up to and with which positions the feeds of these partitions are projected."""
        self.store.hset(CHECKPOINTS, mapping={str(p): position for p, position in reached.items()})

    def behind(self, log: EventLog) -> int:
        """How many pointers are not projected yet; at most 500 a partition are counted."""
        known = self.load(log.partitions)
        return sum(
            len(log.feed(partition, known[partition]))
            for partition, head in log.feed_positions().items()
            if order(head) > order(known[partition])
        )

    def wait_until(self, wanted: Mapping[int, str], timeout: float) -> bool:
        """Wait until these partitions are projected at least so far; False after `timeout` s.

        For a client that reads its own write: take `EventLog.feed_positions()` after writing.
        """
        end = time.monotonic() + timeout
        partitions = max(wanted, default=-1) + 1
        while True:
            known = self.load(partitions)
            if all(order(known[p]) >= order(position) for p, position in wanted.items()):
                return True
            if time.monotonic() >= end:
                return False
            time.sleep(POLL)
