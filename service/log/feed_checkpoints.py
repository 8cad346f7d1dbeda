"""Checkpoints: up to which position each partition's feed is projected."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final

import redis

from service.log.interface import FEED_START, EventLog

CHECKPOINTS: Final = "movelog:{index}:positions"
"""Hash: partition → how far its feed is projected. It shares the hash tag of the projections."""
POLL: Final = 0.01
"""Seconds between two reads of the checkpoints while waiting."""


def parse_position(position: str) -> tuple[int, int]:
    """Return a feed position as a pair that sorts in the order of the feed.

    >>> parse_position("9-1") < parse_position("10-0")
    True
    """
    at, _, sequence = position.partition("-")
    return int(at), int(sequence)


class Checkpoints:
    """The position in each partition's feed that the projector has reached."""

    def __init__(self, store: redis.Redis) -> None:
        self.store = store

    def load(self, partitions: int) -> dict[int, str]:
        """Return the position reached in every partition, the start of the feed if none was."""
        stored: Any = self.store.hgetall(CHECKPOINTS)
        known = {int(partition): position.decode() for partition, position in stored.items()}
        return {p: known.get(p, FEED_START) for p in range(partitions)}

    def advance(self, reached: Mapping[int, str]) -> None:
        """Store the position reached (inclusive) in each of these partitions."""
        self.store.hset(CHECKPOINTS, mapping={str(p): position for p, position in reached.items()})

    def count_behind(self, log: EventLog) -> int:
        """Count the pointers that are not projected yet, up to 500 in each partition."""
        known = self.load(log.partitions)
        return sum(
            len(log.feed(partition, known[partition]))
            for partition, head in log.feed_positions().items()
            if parse_position(head) > parse_position(known[partition])
        )

    def wait_until(self, wanted: Mapping[int, str], timeout: float) -> bool:
        """Wait until each partition is projected up to `wanted`; False after `timeout` seconds.

        To read your own write, pass `EventLog.feed_positions()` as of after the write.
        """
        end = time.monotonic() + timeout
        partitions = max(wanted, default=-1) + 1
        while True:
            known = self.load(partitions)
            if all(
                parse_position(known[p]) >= parse_position(position)
                for p, position in wanted.items()
            ):
                return True
            if time.monotonic() >= end:
                return False
            time.sleep(POLL)
