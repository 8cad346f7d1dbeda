"""The explorer: what was played from a position in finished games, and how it scored."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from sqlalchemy import Connection, select

from service.projection.database.database import Database
from service.projection.database.tables import CONTINUATION, GAME, GAME_POSITION
from service.projection.games.keys import position_key
from service.projection.games.query import Query, canonical_fen
from service.projection.games.search import BUDGET
from service.projection.games.walk import Walk

RESULTS: Final = ("0-1", "1/2-1/2", "1-0", "*")
"""The results in the order of their numbers in the table of positions."""
ENDED: Final = ""
"""Stands for the action from a position in which a game ended."""
CHUNK: Final = 500
"""Games whose continuations are read together."""


@dataclass(slots=True)
class Tally:
    """Games by result, and the sum of the ratings of those that have one."""

    results: dict[str, int] = field(default_factory=lambda: dict.fromkeys(RESULTS, 0))
    rating_sum: int = 0
    rated: int = 0

    @property
    def games(self) -> int:
        """In how many games."""
        return sum(self.results.values())

    @property
    def rating(self) -> int | None:
        """The mean rating of the games that have one, rounded down."""
        return self.rating_sum // self.rated if self.rated else None

    def count(self, result: str, rating: int) -> None:
        """Add a game; a rating of 0 is none."""
        self.results[result] += 1
        if rating:
            self.rating_sum += rating
            self.rated += 1

    def add(self, other: Tally) -> None:
        """Add the games of another tally."""
        for result, games in other.results.items():
            self.results[result] += games
        self.rating_sum += other.rating_sum
        self.rated += other.rated


@dataclass(frozen=True, slots=True)
class Continuation:
    """An action in coordinate form, and the games in which it was played."""

    action: str
    tally: Tally


@dataclass(frozen=True, slots=True)
class Explored:
    """What is known of a position: its continuations, most played first, and the sums.

    `ended` are the games that had no action after it. A game that came to the position twice and
    went on differently counts in both actions. A `partial` answer tells the newest games alone,
    since counting all of them took too long.
    """

    continuations: list[Continuation]
    ended: Tally
    partial: bool = False

    @property
    def total(self) -> Tally:
        """The sums."""
        summed = Tally()
        for one in (*(one.tally for one in self.continuations), self.ended):
            summed.add(one)
        return summed


class Explorer:
    """Reads the tables of positions; they lag behind the log as the lists do."""

    def __init__(self, database: Database, budget: float = BUDGET) -> None:
        self.database = database
        self.budget = budget

    def explore(self, query: Query) -> Explored:
        """What was played in the games that fit from the position that the query names.

        The query needs `variant` and `fen`. Raises BadFen, BadValue and UnknownVariant.
        """
        assert query.variant is not None
        assert query.fen is not None
        query.check()
        key = position_key(query.variant, canonical_fen(query.variant, query.fen))
        unfiltered = query == Query(variant=query.variant, fen=query.fen)

        def look(connection: Connection) -> Explored:
            if not unfiltered:
                return self._walk(connection, query, key)
            return _explored(dict(_shared(connection, key)) or _tally(_rows(connection, key)))

        return self.database.read(look)

    def _walk(self, connection: Connection, query: Query, key: int) -> Explored:
        walk = Walk(connection, query)
        games = ((row.number, row.rating) for row in walk.games(time.monotonic() + self.budget))
        found = []
        while some := dict(islice(games, CHUNK)):
            found += _rows(connection, key, some)
        return _explored(_tally(found), partial=not walk.ended)


def _shared(connection: Connection, key: int) -> Iterator[tuple[str, Tally]]:
    """The continuations of a position that many games share; nothing for another."""
    chosen = select(CONTINUATION).where(CONTINUATION.c.key == key)
    for row in connection.execute(chosen):
        games = (row.second_wins, row.draws, row.first_wins, row.unfinished)
        results = dict(zip(RESULTS, games, strict=True))
        yield row.action, Tally(results, row.rating_sum, row.rated)


def _rows(
    connection: Connection, key: int, numbers: Iterable[int] | None = None
) -> list[tuple[str, int, int]]:
    """What was played in a position, as action, result and rating: a row for each game.

    With `numbers`, in these games alone.
    """
    at = GAME_POSITION.c
    chosen = (
        select(at.action, at.result, GAME.c.rating)
        .join_from(GAME_POSITION, GAME, GAME.c.number == at.number)
        .where(at.key == key)
        .group_by(at.number, at.action, at.result, GAME.c.rating)
    )
    if numbers is not None:
        chosen = chosen.where(at.number.in_(list(numbers)))
    return [(action, result, rating) for action, result, rating in connection.execute(chosen)]


def _tally(rows: Iterable[tuple[str, int, int]]) -> dict[str, Tally]:
    tallies: dict[str, Tally] = {}
    for action, result, rating in rows:
        tallies.setdefault(action, Tally()).count(RESULTS[result], rating)
    return tallies


def _explored(tallies: dict[str, Tally], partial: bool = False) -> Explored:
    ended = tallies.pop(ENDED, Tally())
    found = [Continuation(action, tally) for action, tally in tallies.items() if tally.games]
    found.sort(key=lambda one: (-one.tally.games, one.action))
    return Explored(found, ended, partial)
