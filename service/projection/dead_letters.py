"""Dead letters: games that could not be folded, set aside so that nothing else waits."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import redis

from service.log.feed_range import Stretch
from service.projection.keys import PARKED


@dataclass(frozen=True, slots=True)
class Parked:
    """A game set aside: the reason, and where in the feed it is named.

    `last` is the version that the stretch announces, 0 where a rebuild has found the game.
    """

    game: str
    reason: str
    stretch: Stretch
    last: int


def reason(error: Exception) -> str:
    """Why a game is set aside, from what its events raised."""
    return f"{type(error).__name__}: {error}"


class ParkedGames:
    """The games set aside. A projection with any is degraded: it shows them as they were
    before their bad event.
    """

    def __init__(self, store: redis.Redis) -> None:
        self.store = store

    def park(self, parked: Parked, *, again: bool = True) -> None:
        """Set a game aside; one that is already, only `again`."""
        put = self.store.hset if again else self.store.hsetnx
        put(PARKED, parked.game, json.dumps(asdict(parked), separators=(",", ":")))

    def release(self, games: Iterable[str]) -> None:
        """Take games back; those that are not set aside are passed over."""
        ids = list(games)
        if ids:
            self.store.hdel(PARKED, *ids)

    def all(self) -> list[Parked]:
        """Every game set aside, by id."""
        stored: Any = self.store.hgetall(PARKED)
        found = [json.loads(text) for text in stored.values()]
        parked = [
            Parked(**(values | {"stretch": Stretch(**values["stretch"])})) for values in found
        ]
        return sorted(parked, key=lambda p: p.game)

    def count(self) -> int:
        """How many games are set aside."""
        counted: Any = self.store.hlen(PARKED)
        return int(counted)
