"""Finds games: pages of a query's answer, all of it, or the number of games."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice, pairwise
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection, Row, and_, func, select

from service.game.values import GameStatus, Mode
from service.projection.database.database import Database
from service.projection.database.tables import GAME
from service.projection.database.time_limits import OutOfTime, time_limit
from service.projection.games.cursor import read_cursor, write_cursor
from service.projection.games.memberships import Membership
from service.projection.games.named_players import find_named
from service.projection.games.openings import LISTED
from service.projection.games.query import Query, Sort
from service.projection.games.rows import SAMPLES
from service.projection.games.walk import COLUMNS, Deadline, Place, Walk, within
from service.projection.summary import GameSummary, NamedOpening

BUDGET: Final = 1.5
"""Seconds after which a page or a count ends with what it has."""
NUMBER: Final = (GAME.c.number,)
CHUNK: Final = 1000
"""Games that are read in one transaction where all are wanted."""
COUNTED: Final = 10_000
"""Games are counted one by one if a query has no more than this."""
SHARE: Final = 20
"""Games are also counted one by one if they are less than this fraction of all games."""
SIXTEENTH: Final = SAMPLES // 16
SAMPLED: Final = 20_000
"""Games in a sample; fewer games are counted one by one."""
PARTS: Final = 8
"""The number of parts in which a sample is looked at."""
ALL_COUNTED: Final = 1_000_000
"""All games are counted one by one if there are no more than this."""
CHUNK_TIME: Final = 0.5
"""Seconds that one transaction searches for a chunk."""


class Page(NamedTuple):
    """Games in order, and the cursor of the next page; None after the last.

    A `partial` page took too long to fill; the next one continues from there.
    """

    games: list[GameSummary]
    next_cursor: str | None
    partial: bool = False


class Count(NamedTuple):
    """The number of matching games; an estimate unless it is `exact`."""

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
        """Up to `limit` games of a query's answer, after an earlier page's `next_cursor`.

        Games that are added meanwhile shift nothing. Raises BadCursor, and AmbiguousName, BadFen,
        BadValue and UnknownVariant for a bad query.
        """
        query.check()
        place = None if cursor is None else read_cursor(query, sort, cursor)
        deadline = within(self.budget)

        def look(connection: Connection) -> Page:
            walk = Walk(connection, query, sort, place)
            rows = list(islice(walk.games(deadline, limit + 1, LISTED), limit + 1))
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
        """The ids of all matching games, newest first; only those after the game `after`.

        Holds one chunk of them at a time. For a bad query, raises at once what `page` raises.
        """
        query.check()
        self.database.read(lambda connection: find_named(connection, query))
        return self._ids(query, None if after is None else self._place(after))

    def _ids(self, query: Query, place: Place | None) -> Iterator[str]:
        ended = False
        while not ended:
            found, place, ended = self.database.read(partial(_chunk, query, place))
            yield from found

    def summaries(self, ids: Sequence[str]) -> list[GameSummary | None]:
        """These games as the lists show them; None for those that the lists do not know."""
        if not ids:
            return []
        chosen = select(*LISTED).where(GAME.c.id.in_(list(dict.fromkeys(ids))))
        rows = self.database.read(lambda connection: connection.execute(chosen).all())
        found = {row.id: to_summary(row) for row in rows}
        return [found.get(id) for id in ids]

    def count(self, query: Query) -> Count:
        """The number of matching games: exact if they are few, within some percent if many.

        Raises what `page` raises for a bad query.
        """
        query.check()
        return self.database.read(lambda connection: self._count(connection, query))

    def _place(self, id: str) -> Place | None:
        chosen = select(GAME.c.number).where(GAME.c.id == id)
        number = self.database.read(lambda connection: connection.execute(chosen).scalar())
        return None if number is None else (number, number)

    def _count(self, connection: Connection, query: Query) -> Count:
        deadline = within(self.budget)
        counted = estimate = 0
        walk = Walk(connection, query)
        with suppress(OutOfTime):
            everything = count_all(connection, deadline)
            if query == Query():
                return everything
            walk.prepare(deadline)
            if everything.games > SAMPLED and not walk.is_narrow(deadline):
                estimate = estimate_count(connection, query, everything.games, deadline)
                if estimate > max(COUNTED, everything.games // SHARE):
                    return Count(estimate, exact=False)
            counted = sum(1 for _ in walk.games(deadline, columns=NUMBER))
        return Count(counted if walk.ended else max(counted, estimate), exact=walk.ended)


def _chunk(
    query: Query, place: Place | None, connection: Connection
) -> tuple[list[str], Place | None, bool]:
    """The ids of the next games, the place after them, and whether these were all."""
    walk = Walk(connection, query, Sort.CREATED, place)
    deadline = Deadline(time.monotonic() + CHUNK_TIME)
    games = walk.games(deadline, CHUNK, (GAME.c.number, GAME.c.id))
    ids = [row.id for row in islice(games, CHUNK)]
    return ids, walk.place, walk.ended


def count_all(connection: Connection, deadline: Deadline) -> Count:
    """The number of all games; an estimate within some percent where there are very many."""
    with time_limit(connection, deadline.hard):
        some = select(func.count()).select_from(GAME).where(GAME.c.sample < SIXTEENTH)
        estimate = 16 * connection.execute(some).scalar_one()
        if estimate > ALL_COUNTED:
            return Count(estimate, exact=False)
        return Count(connection.execute(select(func.count()).select_from(GAME)).scalar_one(), True)


def estimate_count(
    connection: Connection, query: Query, everything: int, deadline: Deadline
) -> int:
    """About how many of all the games match, by a random sample of about SAMPLED games.

    The sample is looked at in parts, each as random as the whole; those done by the deadline
    decide. Raises OutOfTime if none is.
    """
    values = min(SAMPLES, SAMPLES * SAMPLED // everything + 1)
    edges = [values * part // PARTS for part in range(PARTS + 1)]
    found = looked = 0
    for least, beyond in pairwise(dict.fromkeys(edges)):
        part = and_(GAME.c.sample >= least, GAME.c.sample < beyond)
        walk = Walk(connection, query, among=Membership(GAME, part, column=GAME.c.sample))
        fitting = sum(1 for _ in walk.games(deadline, columns=NUMBER))
        if not walk.ended:
            break
        found, looked = found + fitting, beyond
    if not looked:
        raise OutOfTime
    return found * SAMPLES // looked


def place_of(row: Row[Any], sort: Sort) -> Place:
    """A game's place in an answer with this sort."""
    return getattr(row, COLUMNS[sort].name), row.number


def to_summary(row: Row[Any]) -> GameSummary:
    """A game as lists show it, from its row of LISTED."""
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
        rated=row.rated,
        expires_at=row.expires_at,
        opening=None
        if row.opening_name is None
        else NamedOpening(row.opening_name, row.opening_code),
    )
