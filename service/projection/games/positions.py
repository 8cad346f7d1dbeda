"""What the tables know of a position, read in one statement.

For a position that many games share, the tables hold the sums of what was played, and its games in
the order of their ratings; otherwise each game has a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from heapq import nlargest
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    CompoundSelect,
    Connection,
    Integer,
    Select,
    bindparam,
    case,
    exists,
    literal_column,
    null,
    select,
    union_all,
)

from service.projection.database.tables import (
    CONTINUATION,
    GAME,
    GAME_POSITION,
    OPENING,
    SHARED_POSITION,
)
from service.projection.games.continuations import COLUMNS
from service.projection.games.openings import read_edition
from service.projection.games.play import RESULTS
from service.projection.games.tally import Tally
from service.projection.summary import NamedOpening

SUMS, GAMES, NEWEST, HIGHEST, NAME = range(5)
"""The contents of a row: sums of an action, a game with its action, one of the newest games, one of
the highest rated games, or the position's own name."""


@dataclass(slots=True)
class PositionFacts:
    """What was played from a position in all games, and the numbers of games that are shown.

    `recent` are the newest ones, `top` those with the highest ratings.
    """

    tallies: dict[str, Tally] = field(default_factory=dict)
    recent: list[int] = field(default_factory=list)
    top: list[int] = field(default_factory=list)
    opening: NamedOpening | None = None

    def show_games(self, ratings: Mapping[int, int], shown: int) -> None:
        """Choose the games to show among all games, given with their ratings."""
        self.recent = nlargest(shown, ratings)
        rated = ((rating, number) for number, rating in ratings.items() if rating)
        self.top = [number for _, number in nlargest(shown, rated)]


def read_position(connection: Connection, key: int, shown: int) -> PositionFacts:
    """What is known of a position, with up to `shown` of its newest and of its top games."""
    found = PositionFacts()
    ratings: dict[int, int] = {}
    statement = _WITH_GAMES if shown else _ALONE
    given = {"key": key, "shown": shown} if shown else {"key": key}
    rows = connection.execute(statement, given).all()
    for part, text, *games, rating_sum, rated, number, code in rows:
        if part <= GAMES:
            tally = Tally(dict(zip(RESULTS, games, strict=True)), rating_sum, rated)
            if text in found.tallies:
                found.tallies[text].add(tally)
            else:
                found.tallies[text] = tally
            if part == GAMES:
                ratings[number] = rating_sum
        elif part == NEWEST:
            found.recent.append(number)
        elif part == HIGHEST:
            found.top.append(number)
        else:
            found.opening = NamedOpening(text, code)
    if ratings and shown:
        found.show_games(ratings, shown)
    return found


_KEY: Final = bindparam("key", type_=BigInteger())
_SHOWN: Final = bindparam("shown", type_=Integer())
_NOTHING: Final = [
    literal_column("0", Integer()).label(name) for name in (*COLUMNS, "sum", "rated")
]


def _part(part: int) -> ColumnElement[int]:
    return literal_column(str(part), Integer()).label("part")


def _told(part: int) -> tuple[ColumnElement[Any], ...]:
    """The columns of a row that only has a game's number."""
    return _part(part), literal_column("''"), *_NOTHING


def _no_number() -> ColumnElement[int]:
    return literal_column("0", BigInteger()).label("number")


def _sums() -> Select[Any]:
    """The sums of a position that many games share."""
    of = CONTINUATION.c
    sums = (*(of[name] for name in COLUMNS), of.rating_sum, of.rated)
    return select(_part(SUMS), of.action, *sums, _no_number(), null()).where(of.key == _KEY)


def _games() -> Select[Any]:
    """Each game of a position that few share, once for each action that was played there."""
    at = GAME_POSITION.c
    # Null where there are sums, so that the index is left alone: a shared position has many rows.
    rare = select(_KEY).where(~exists().where(CONTINUATION.c.key == _KEY)).scalar_subquery()
    # Looked up for each row; for a join the planner might read a whole table.
    rating = select(GAME.c.rating).where(GAME.c.number == at.number).scalar_subquery()
    row = (
        select(at.number, at.action, at.result, rating.label("rating"))
        .where(at.key == rare)
        .distinct()
        .subquery()
        .c
    )
    results = (case((row.result == number, 1), else_=0) for number in RESULTS.values())
    is_rated = case((row.rating > 0, 1), else_=0)
    told = select(_part(GAMES), row.action, *results, row.rating, is_rated, row.number, null())
    # Games that are held back have no rating to look up.
    return told.where(row.rating.is_not(None))


def _newest() -> Select[Any]:
    """The newest games of a position that many share."""
    at = GAME_POSITION.c
    shared = select(_KEY).where(exists().where(CONTINUATION.c.key == _KEY)).scalar_subquery()
    # Games that are held back have no row.
    is_seen = exists().where(GAME.c.number == at.number)
    chosen = select(at.number).where(at.key == shared, is_seen).distinct()
    chosen = chosen.order_by(at.number.desc())
    number = chosen.limit(_SHOWN).subquery().c.number
    return select(*_told(NEWEST), number, null())


def _highest() -> Select[Any]:
    """The highest rated games of a position that many share."""
    of = SHARED_POSITION.c
    chosen = select(of.number).where(of.key == _KEY, of.rating > 0)
    number = chosen.order_by(of.rating.desc(), of.number.desc()).limit(_SHOWN).subquery().c.number
    return select(*_told(HIGHEST), number, null())


def _name() -> Select[Any]:
    """The position's own name."""
    at = OPENING.c
    chosen = select(_part(NAME), at.name, *_NOTHING, _no_number(), at.code)
    return chosen.where(at.edition == read_edition(), at.key == _KEY)


_ALONE: Final[CompoundSelect[Any]] = union_all(_sums(), _games(), _name())
_WITH_GAMES: Final[CompoundSelect[Any]] = union_all(
    _sums(), _games(), _newest(), _highest(), _name()
)
