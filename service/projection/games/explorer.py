"""The explorer: what was played from a position in finished games, and how it scored."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from heapq import nlargest
from itertools import islice
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    CompoundSelect,
    Connection,
    Row,
    bindparam,
    case,
    exists,
    select,
    union_all,
)

from service.projection.database.chunks import is_among
from service.projection.database.database import Database
from service.projection.database.tables import CONTINUATION, GAME, GAME_POSITION
from service.projection.database.time_limits import OutOfTime, time_limit
from service.projection.games.continuations import COLUMNS
from service.projection.games.keys import fen_key
from service.projection.games.openings import LISTED, name_position
from service.projection.games.play import ENDED, RESULTS
from service.projection.games.query import Query, Sort
from service.projection.games.search import BUDGET, to_summary
from service.projection.games.walk import Deadline, Walk, within
from service.projection.summary import GameSummary, NamedOpening

NAMES: Final = tuple(RESULTS)
"""The results by their numbers."""
CHUNK: Final = 500
"""Games whose continuations are read together."""
SHOWN: Final = 8
"""How many of the newest and of the highest rated games are shown."""
NEEDED: Final = (GAME.c.number, GAME.c.rating)


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
    went on differently counts in both actions. `recent` are the newest games, `top` those of rated
    players with the highest ratings. A `partial` answer tells the newest games alone, since
    looking at all of them took too long. `opening` is the position's own name.
    """

    continuations: list[Continuation]
    ended: Tally
    recent: list[GameSummary] = field(default_factory=list)
    top: list[GameSummary] = field(default_factory=list)
    partial: bool = False
    opening: NamedOpening | None = None

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

    def explore(self, query: Query, shown: int = SHOWN) -> Explored:
        """What was played in the games that fit from the position that the query names.

        The query needs `variant` and `fen`; `shown` is the number of the newest and of the highest
        rated games. Raises BadFen, BadValue and UnknownVariant.
        """
        assert query.variant is not None
        assert query.fen is not None
        query.check()
        key = fen_key(query.variant, query.fen)
        unfiltered = query == Query(variant=query.variant, fen=query.fen)
        deadline = within(self.budget)

        def look(connection: Connection) -> Explored:
            # First, since nothing can be asked any more once a question was ended.
            opening = name_position(connection, key)
            if unfiltered:
                explored = _explore_all(connection, query, key, shown, deadline)
            else:
                explored = _explore_some(connection, query, key, shown, deadline)
            return replace(explored, opening=opening)

        return self.database.read(look)


def _explore_all(
    connection: Connection, query: Query, key: int, shown: int, deadline: Deadline
) -> Explored:
    """What was played in all games: the sums of the tables, and the first games of two sorts."""
    explored = _explored(_tally_all(connection, key))
    if not shown or not explored.total.games:
        return explored
    rated = replace(query, rating=(1, None))
    recent, top = Walk(connection, query), Walk(connection, rated, Sort.RATING)
    return replace(
        explored,
        recent=[to_summary(row) for row in islice(recent.games(deadline, shown, LISTED), shown)],
        top=[to_summary(row) for row in islice(top.games(deadline, shown, LISTED), shown)],
    )


def _explore_some(
    connection: Connection, query: Query, key: int, shown: int, deadline: Deadline
) -> Explored:
    """What was played in the games that fit, each of which is looked at."""
    walk = Walk(connection, query)
    games = walk.games(deadline, columns=NEEDED)
    tallies: dict[str, Tally] = {}
    recent: list[int] = []
    top: list[tuple[int, int]] = []
    summaries: dict[int, GameSummary] = {}
    partial = True
    try:
        while some := list(islice(games, CHUNK)):
            with time_limit(connection, deadline.hard):
                _tally_some(connection, key, some, tallies)
            recent += [row.number for row in some[: shown - len(recent)]]
            rated = [(row.rating, row.number) for row in some if row.rating]
            top = nlargest(shown, top + rated)
        partial = not walk.ended
        with time_limit(connection, deadline.hard):
            summaries = _summarise(connection, [*recent, *(number for _, number in top)])
    except OutOfTime:
        partial = True
    return replace(
        _explored(tallies),
        recent=[summaries[number] for number in recent if number in summaries],
        top=[summaries[number] for _, number in top if number in summaries],
        partial=partial,
    )


_KEY: Final = bindparam("key", type_=BigInteger())


def _everything() -> CompoundSelect[Any]:
    """Every action from the position `key`, with COLUMNS and the ratings, in one row or in several.

    They stand summed up where many games share the position; otherwise each game has a row.
    """
    summed, at = CONTINUATION.c, GAME_POSITION.c
    shared = select(
        summed.action, *(summed[name] for name in COLUMNS), summed.rating_sum, summed.rated
    ).where(summed.key == _KEY)
    # Null where there are sums, so that the index is left alone: a shared position has many rows.
    rare = select(_KEY).where(~exists().where(summed.key == _KEY)).scalar_subquery()
    # Looked up for each row; the planner of a join might read a whole table.
    rating = select(GAME.c.rating).where(GAME.c.number == at.number).scalar_subquery()
    # A game counts once for an action, however often it came back to the position.
    row = (
        select(at.number, at.action, at.result, rating.label("rating"))
        .where(at.key == rare)
        .distinct()
        .subquery()
        .c
    )
    each = select(
        row.action,
        *(case((row.result == number, 1), else_=0) for number in RESULTS.values()),
        row.rating,
        case((row.rating > 0, 1), else_=0),
        # Games that are held back have no rating to be looked up.
    ).where(row.rating.is_not(None))
    return union_all(shared, each)


_EVERYTHING: Final = _everything()


def _tally_all(connection: Connection, key: int) -> dict[str, Tally]:
    """What was played from a position in all games."""
    tallies: dict[str, Tally] = {}
    for action, *games, rating_sum, rated in connection.execute(_EVERYTHING, {"key": key}):
        found = Tally(dict(zip(RESULTS, games, strict=True)), rating_sum, rated)
        if action in tallies:
            tallies[action].add(found)
        else:
            tallies[action] = found
    return tallies


def _tally_some(
    connection: Connection, key: int, games: Iterable[Row[Any]], tallies: dict[str, Tally]
) -> None:
    """Add what was played from a position in these games, given by NEEDED."""
    ratings = {row.number: row.rating for row in games}
    at = GAME_POSITION.c
    chosen = (
        select(at.number, at.action, at.result)
        .where(at.key == key, is_among(connection, at.number, ratings))
        .distinct()
    )
    for number, action, result in connection.execute(chosen).all():
        tallies.setdefault(action, Tally()).count(NAMES[result], ratings[number])


def _summarise(connection: Connection, numbers: Sequence[int]) -> dict[int, GameSummary]:
    """What lists show of the games with these numbers."""
    chosen = select(*LISTED).where(GAME.c.number.in_(numbers))
    return {row.number: to_summary(row) for row in connection.execute(chosen)}


def _explored(tallies: dict[str, Tally]) -> Explored:
    ended = tallies.pop(ENDED, Tally())
    found = [Continuation(action, tally) for action, tally in tallies.items() if tally.games]
    found.sort(key=lambda one: (-one.tally.games, one.action))
    return Explored(found, ended)
