"""The computer's open games, kept beside the log, so that a restart finds them.

    movelog:{computer}:games       sorted set: ids by when an answer is due, `inf` for nothing to do
    movelog:{computer}:positions   hash: partition → the feed's position up to which games are known
    movelog:{computer}:saved       when a process that plays last saved these, in milliseconds

All of it can be derived from the log: if it is missing, the feed is read from its beginning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import redis

GAMES: Final = "movelog:{computer}:games"
POSITIONS: Final = "movelog:{computer}:positions"
SAVED: Final = "movelog:{computer}:saved"
NOTHING_DUE: Final = float("inf")


class OpenGames:
    """Which games the computer has open, when answers are due, and how far the feed was read."""

    def __init__(self, store: redis.Redis) -> None:
        self.store = store

    def load(self) -> set[str]:
        """The ids of the open games."""
        found: Any = self.store.zrange(GAMES, 0, -1)
        return {id.decode() for id in found}

    def load_positions(self) -> dict[int, str]:
        """How far each partition's feed was read, without the partitions that were not read."""
        found: Any = self.store.hgetall(POSITIONS)
        return {int(partition): position.decode() for partition, position in found.items()}

    def find_saved(self) -> int | None:
        """When a process that plays last saved something; None if none ever has."""
        found: Any = self.store.get(SAVED)
        return None if found is None else int(found)

    def save(
        self,
        due: Mapping[str, float],
        closed: Iterable[str],
        positions: Mapping[int, str],
        now: int,
    ) -> None:
        """Store when answers are due, which games are closed, and how far the feeds were read."""
        closed = list(closed)
        pipeline = self.store.pipeline(transaction=True)
        pipeline.set(SAVED, now)
        if due:
            pipeline.zadd(GAMES, dict(due))
        if closed:
            pipeline.zrem(GAMES, *closed)
        if positions:
            pipeline.hset(POSITIONS, mapping={str(p): at for p, at in positions.items()})
        pipeline.execute()

    def measure_backlog(self, now: int) -> tuple[int, float]:
        """How many answers are overdue now, and for how many seconds the first of them has been."""
        first: Any = self.store.zrange(GAMES, 0, 0, withscores=True)
        late: Any = self.store.zcount(GAMES, "-inf", now)
        return int(late), max(0.0, (now - first[0][1]) / 1000) if first and late else 0.0
