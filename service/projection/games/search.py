"""Finds games: pages of a query's answer, all of it, and how many there are."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Row, func, select

from service.game.values import GameStatus, Mode
from service.projection.database.database import Database
from service.projection.database.tables import GAME
from service.projection.games.cursor import read_cursor, write_cursor
from service.projection.games.memberships import Membership
from service.projection.games.query import Query, Sort
from service.projection.games.walk import COLUMNS, Place, Walk
from service.projection.summary import GameSummary

BUDGET: Final = 1.5
"""Seconds after which a page or a count ends with what it has."""
CHUNK: Final = 200
"""How many games are read in one transaction where all are wanted."""
COUNTED: Final = 10_000
"""Games that are counted one by one where a query has no more."""
SHARE: Final = 20
"""A query's games are also counted where they are less than this part of all games."""
SAMPLES: Final = 1024
"""How many values the column `sample` has, each as often as any other."""
SAMPLED: Final = 20_000
"""Games in a sample; fewer games are counted one by one."""
CHUNK_TIME: Final = 0.5
"""Seconds that one transaction looks for a chunk."""


class Page(NamedTuple):
    """Games in order, and the cursor of the next page; None after the last.

    A `partial` page took too long to be filled; the next one goes on from there.
    """

    games: list[GameSummary]
    next_cursor: str | None
    partial: bool = False


class Count(NamedTuple):
    """How many games fit; an estimate where it is not `exact`."""

    games: int
    exact: bool


class Search:
    """Finds games in a database of read models; they lag behind the log as `Checkpoints` says."""

    def __init__(self, database: Database, budget: float = BUDGET) -> None:
        self.database = database
        self.budget = budget

    def page(
        self,
        query: Query,
        cursor: str | None = None,
        limit: int = 50,
        sort: Sort = Sort.CREATED,
    ) -> Page:
        """Up to `limit` games of a query's answer, behind an earlier page's `next_cursor`.

        Games that come meanwhile shift nothing. Raises BadCursor, and BadFen, BadValue and
        UnknownVariant for a bad query.
        """
        query.check()
        place = None if cursor is None else read_cursor(query, sort, cursor)
        deadline = time.monotonic() + self.budget

        def look(connection: Connection) -> Page:
            walk = Walk(connection, query, sort, place)
            rows = list(islice(walk.games(deadline), limit + 1))
            behind = None
            if len(rows) > limit:
                behind = place_of(rows[limit - 1], sort)
            elif not walk.ended:
                behind = walk.place
            following = None if behind is None else write_cursor(query, sort, behind)
            return Page([to_summary(row) for row in rows[:limit]], following, not walk.ended)

        page = self.database.read(look)
        return page._replace(partial=page.partial and len(page.games) < limit)

    def ids(self, query: Query, after: str | None = None) -> Iterator[str]:
        """The ids of every game that fits, newest first, those behind the game `after`.

        A chunk of them is held at a time. Raises what `page` raises for a bad query.
        """
        query.check()
        place = None if after is None else self._place(after)
        ended = False
        while not ended:
            found, place, ended = self.database.read(partial(_chunk, query, place))
            yield from found

    def summaries(self, ids: Sequence[str]) -> list[GameSummary | None]:
        """What the lists show of these games; None for those they do not know."""
        if not ids:
            return []
        chosen = select(GAME).where(GAME.c.id.in_(list(dict.fromkeys(ids))))
        rows = self.database.read(lambda connection: connection.execute(chosen).all())
        found = {row.id: to_summary(row) for row in rows}
        return [found.get(id) for id in ids]

    def count(self, query: Query) -> Count:
        """How many games fit: exactly where they are few, within some percent where many.

        Raises what `page` raises for a bad query.
        """
        query.check()
        return self.database.read(lambda connection: self._count(connection, query))

    def _place(self, id: str) -> Place | None:
        chosen = select(GAME.c.number).where(GAME.c.id == id)
        number = self.database.read(lambda connection: connection.execute(chosen).scalar())
        return None if number is None else (number, number)

    def _count(self, connection: Connection, query: Query) -> Count:
        everything = connection.execute(select(func.count()).select_from(GAME)).scalar_one()
        if query == Query():
            return Count(everything, exact=True)
        walk = Walk(connection, query)
        estimate = 0
        if everything > SAMPLED and not walk.is_narrow:
            estimate = estimate_count(connection, query, everything)
            if estimate > max(COUNTED, everything // SHARE):
                return Count(estimate, exact=False)
        counted = sum(1 for _ in walk.games(time.monotonic() + self.budget))
        return Count(counted if walk.ended else max(counted, estimate), exact=walk.ended)


def _chunk(
    query: Query, place: Place | None, connection: Connection
) -> tuple[list[str], Place | None, bool]:
    """The ids of the next games, the place behind them, and whether these were all."""
    walk = Walk(connection, query, Sort.CREATED, place)
    rows = islice(walk.games(time.monotonic() + CHUNK_TIME), CHUNK)
    return [row.id for row in rows], walk.place, walk.ended


def estimate_count(connection: Connection, query: Query, everything: int) -> int:
    """About how many of all the games fit, by a random sample of some SAMPLED games."""
    values = min(SAMPLES, SAMPLES * SAMPLED // everything + 1)
    sample = Membership(GAME, GAME.c.sample < values, ordered=False)
    walk = Walk(connection, query, within=sample)
    return sum(1 for _ in walk.games(float("inf"))) * SAMPLES // values


def place_of(row: Row[Any], sort: Sort) -> Place:
    """Where a game stands in an answer that is sorted so."""
    return getattr(row, COLUMNS[sort].name), row.number


def to_summary(row: Row[Any]) -> GameSummary:
    """What lists show of a game, from its row."""
    points = None if row.first_points is None else (row.first_points, row.second_points)
    return GameSummary(
        id=row.id,
        version=row.version,
        variant=row.variant,
        mode=Mode(row.mode),
        status=GameStatus(row.status),
        seats=(row.first, row.second),
        result=row.result,
        termination=row.termination,
        points=points,
        scored=row.scored,
        plies=row.plies,
        created_at=row.created_at,
        updated_at=row.updated_at,
        tags=json.loads(row.tags),
        infiltrators=row.secret_choice,
        fen=row.fen,
    )
