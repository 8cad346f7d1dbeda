"""How far the reactions have followed the feed; stored in Redis, beside the jobs.

Reactions come after the rows are written. Changes that a projector had projected but not reacted to
when it ended are reacted to when the next one begins. Losing and rebuilding the database does not
affect this.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

import redis

from service.log.interface import FEED_START

REACTED: Final = "movelog:{index}:positions"
"""Hash: partition → position. Its name dates from when Redis kept the lists as well."""


class ReactionProgress(Protocol):
    """The position in each partition's feed that reactions have reached."""

    def load(self, partitions: int) -> dict[int, str]:
        """Return the position reached in every partition, by default the start of its feed."""

    def advance(self, reached: Mapping[int, str]) -> None:
        """Store the position reached (inclusive) in each of these partitions."""


class StoredReactionProgress:
    """The progress stored in Redis."""

    def __init__(self, store: redis.Redis) -> None:
        self.store = store

    def load(self, partitions: int) -> dict[int, str]:
        """Return the position reached in every partition, by default the start of its feed."""
        stored: Any = self.store.hgetall(REACTED)
        known = {int(partition): position.decode() for partition, position in stored.items()}
        return {p: known.get(p, FEED_START) for p in range(partitions)}

    def advance(self, reached: Mapping[int, str]) -> None:
        """Store the position reached (inclusive) in each of these partitions."""
        self.store.hset(REACTED, mapping={str(p): position for p, position in reached.items()})
