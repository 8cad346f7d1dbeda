"""Dead letters: games that could not be folded, set aside so that nothing else waits."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

import redis

from service.log.feed_range import FeedRange
from service.projection.keys import DEAD_LETTERS


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A game that could not be folded, the `reason`, and the range of the feed that names it.

    `last` is the game's newest version in that range, 0 if a rebuild found the game.
    """

    game: str
    reason: str
    feed_range: FeedRange
    last: int

    def to_json(self) -> str:
        """The stored form, in which the range is called `stretch`."""
        values = {
            "game": self.game,
            "reason": self.reason,
            "stretch": asdict(self.feed_range),
            "last": self.last,
        }
        return json.dumps(values, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: bytes) -> DeadLetter:
        """The dead letter that `to_json` wrote."""
        values = json.loads(text)
        return cls(feed_range=FeedRange(**values.pop("stretch")), **values)


def describe_error(error: Exception) -> str:
    """The reason to store for an exception that a game's events raised."""
    return f"{type(error).__name__}: {error}"


class DeadLetters:
    """The games that could not be folded; the lists show them as before their bad event.

    A projection with any is degraded.
    """

    def __init__(self, store: redis.Redis) -> None:
        self.store = store

    def add(self, letter: DeadLetter, *, replace: bool = True) -> None:
        """Add a game; `replace` says whether a dead letter of the same game is overwritten."""
        put = self.store.hset if replace else self.store.hsetnx
        put(DEAD_LETTERS, letter.game, letter.to_json())

    def remove(self, games: Iterable[str]) -> None:
        """Remove games by id; ids that are not there are ignored."""
        ids = list(games)
        if ids:
            self.store.hdel(DEAD_LETTERS, *ids)

    def all(self) -> list[DeadLetter]:
        """Every dead letter, by the game's id."""
        stored: Any = self.store.hgetall(DEAD_LETTERS)
        return sorted(map(DeadLetter.from_json, stored.values()), key=lambda letter: letter.game)

    def count(self) -> int:
        """How many dead letters there are."""
        counted: Any = self.store.hlen(DEAD_LETTERS)
        return int(counted)
