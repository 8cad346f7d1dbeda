"""The explorer: what was played from a position in finished games, and how it scored."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    CompoundSelect,
    Connection,
    Select,
    bindparam,
    case,
    exists,
    func,
    literal,
    select,
    union_all,
)

from service.projection.database.database import Database
from service.projection.database.tables import CONTINUATION, GAME, GAME_POSITION
from service.projection.games.continuations import COLUMNS
from service.projection.games.keys import position_key
from service.projection.games.play import ENDED, RESULTS
from service.projection.games.query import Query, canonical_fen
from service.projection.games.search import BUDGET
from service.projection.games.walk import Walk

NAMES: Final = tuple(RESULTS)
"""The results by their numbers."""
CHUNK: Final = 500
"""Games whose continuations are read together."""

Part = tuple[str, str, int]


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
            return _explored(_tally_all(connection, key))

        return self.database.read(look)

    def _walk(self, connection: Connection, query: Query, key: int) -> Explored:
        walk = Walk(connection, query)
        games = (row.number for row in walk.games(time.monotonic() + self.budget))
        tallies: dict[str, Tally] = {}
        while some := list(islice(games, CHUNK)):
            for action, result, rating in _tally_some(connection, key, some):
                tallies.setdefault(action, Tally()).count(result, rating)
        return _explored(tallies, partial=not walk.ended)


def _rows(key: ColumnElement[int]) -> Select[Any]:
    """A position's rows, one for each game and action, however often the position came up."""
    at = GAME_POSITION.c
    return (
        select(at.number, at.action, at.result, GAME.c.rating)
        .join_from(GAME_POSITION, GAME, GAME.c.number == at.number)
        .where(at.key == key)
        .distinct()
    )


def _everything() -> CompoundSelect[Any]:
    """Every action from the position `key`, with COLUMNS and the ratings.

    They stand summed up where many games share the position, and are counted otherwise.
    """
    key: ColumnElement[int] = bindparam("key", type_=BigInteger())
    summed = CONTINUATION.c
    shared = select(
        summed.action, *(summed[name] for name in COLUMNS), summed.rating_sum, summed.rated
    ).where(summed.key == key)
    row = _rows(key).where(~exists().where(summed.key == key)).subquery().c
    counted = select(
        row.action,
        *(func.sum(case((row.result == number, 1), else_=0)) for number in RESULTS.values()),
        func.sum(row.rating),
        func.sum(case((row.rating > 0, 1), else_=0)),
    ).group_by(row.action)
    return union_all(shared, counted)


_EVERYTHING: Final = _everything()


def _tally_all(connection: Connection, key: int) -> dict[str, Tally]:
    """What was played from a position in all games."""
    return {
        action: Tally(dict(zip(RESULTS, games, strict=True)), rating_sum, rated)
        for action, *games, rating_sum, rated in connection.execute(_EVERYTHING, {"key": key})
    }


def _tally_some(connection: Connection, key: int, numbers: Collection[int]) -> Iterator[Part]:
    """What was played from a position in these games: action, result and rating."""
    chosen = _rows(literal(key)).where(GAME.c.number.in_(numbers))
    for _, action, result, rating in connection.execute(chosen):
        yield action, NAMES[result], rating


def _explored(tallies: dict[str, Tally], partial: bool = False) -> Explored:
    ended = tallies.pop(ENDED, Tally())
    found = [Continuation(action, tally) for action, tally in tallies.items() if tally.games]
    found.sort(key=lambda one: (-one.tally.games, one.action))
    return Explored(found, ended, partial)
