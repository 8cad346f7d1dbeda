"""The opening explorer: what was played from a position in finished games, and how it scored."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import redis

from service.projection.contribution import ENDED, position_digest
from service.projection.generation import Current
from service.projection.position_index import LETTERS, bucket

RESULTS: Final = {letter: result for result, letter in LETTERS.items()}
TALLIES: Final = tuple(LETTERS)


@dataclass(frozen=True, slots=True)
class Continuation:
    """An action in coordinate form and the games in which it was taken, by result."""

    action: str
    results: dict[str, int]

    @property
    def games(self) -> int:
        """In how many games."""
        return sum(self.results.values())


@dataclass(frozen=True, slots=True)
class Explored:
    """What is known of a position: its continuations, most played first, and the sums.

    `ended` are the games that had no action after it. A game that came to the position twice and
    went on differently counts in both actions.
    """

    continuations: list[Continuation]
    ended: dict[str, int]

    @property
    def results(self) -> dict[str, int]:
        """The sums by result."""
        parts = [*(one.results for one in self.continuations), self.ended]
        return {result: sum(part[result] for part in parts) for result in TALLIES}


class Explorer:
    """Reads the index of continuations; it lags behind the log as the lists do."""

    def __init__(self, store: redis.Redis) -> None:
        self.store = store
        self._current = Current(store)

    def at(self, variant: str, fen: str) -> Explored:
        """What was played from a position, given by its canonical FEN."""
        number, rest = bucket(position_digest(variant, fen))
        [stored] = self._current.fetch(lambda ask, base: ask.hgetall(f"{base}next:{number}"))
        return _explored(rest, stored.items())


def _explored(prefix: bytes, counts: Iterable[tuple[bytes, bytes]]) -> Explored:
    tallies: dict[str, dict[str, int]] = {}
    for field, count in counts:
        if field.startswith(prefix):
            told = field[len(prefix) :].decode()
            tally = tallies.setdefault(told[1:], dict.fromkeys(TALLIES, 0))
            tally[RESULTS[told[0]]] += int(count)
    ended = tallies.pop(ENDED, dict.fromkeys(TALLIES, 0))
    found = [Continuation(action, tally) for action, tally in tallies.items()]
    return Explored(sorted(found, key=lambda one: (-one.games, one.action)), ended)
