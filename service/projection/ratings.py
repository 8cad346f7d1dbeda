"""Ratings: Glicko-2 by variant and speed class, from the finished games of each closed period.

Periods have one length and begin with 1970 UTC; a game belongs to the one it ended in. A game
counts if its terms say that it is rated, two different players have played it, it has a winner or
is drawn, did not end by forfeit, and both had moved. Casual games never count, and neither do
records or scribes' games, which anybody could make up. A corrected result counts in the period in
which the game ended, and all periods from there on are computed anew; a reopened game counts in
none until it ends again (Ruling R35).
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    Select,
    Table,
    and_,
    bindparam,
    delete,
    insert,
    select,
    update,
)

from engine.outcome import Termination
from engine.registry import VARIANTS
from service.game.outline import GameOutline
from service.projection.database.chunks import is_among, select_rows_in
from service.projection.database.database import Database
from service.projection.database.tables import RATED_GAME, RATING, RATING_DUE
from service.projection.games.terms import SPEED_CLASSES, find_speed_class
from service.projection.rating_periods import Rated, idle, rate
from service.rating.glicko2 import RatedGame, Rating

log = logging.getLogger(__name__)

SCORES: Final = {"1-0": 1.0, "1/2-1/2": 0.5, "0-1": 0.0}
BOTH_MOVED: Final = 2


class Pool(NamedTuple):
    """The games whose ratings can be compared: those of a variant and a speed class."""

    variant: str
    speed: str


def rated_row(state: GameOutline) -> dict[str, Any] | None:
    """What a game counts for the ratings; it counts nothing where `ended_at` is None.

    None for a game that can never count.
    """
    if not state.terms.rated or (state.ended_at is None and not state.reopened):
        return None
    first, second = state.seats
    score = SCORES.get(state.ending.result) if state.ending else None
    counts = (
        state.ending is not None
        and state.ending.termination != Termination.FORFEIT
        and state.plies >= BOTH_MOVED
        and first != second
        and None not in (first, second, score, state.ended_at)
    )
    return {
        "id": state.id,
        "version": state.version,
        "variant": state.variant,
        "speed": find_speed_class(state.tags),
        "ended_at": state.ended_at if counts else None,
        "first": first if counts else None,
        "second": second if counts else None,
        "score": score if counts else None,
    }


def write_rated(connection: Connection, states: Sequence[GameOutline]) -> None:
    """Write what these games count, and from when on ratings are due because of it."""
    newest = {state.id: row for state in states if (row := rated_row(state)) is not None}
    reopened = {state.id for state in states if state.reopened}
    found = select_rows_in(connection, select(RATED_GAME), RATED_GAME.c.id, newest)
    known = {row.id: row for row in found}
    changed = [row for id, row in newest.items() if _is_news(row, known.get(id), id in reopened)]
    new = [row for row in changed if row["id"] not in known]
    before = [row | {"at": row["id"]} for row in changed if row["id"] in known]
    if new:
        connection.execute(insert(RATED_GAME), new)
    if before:
        connection.execute(update(RATED_GAME).where(RATED_GAME.c.id == bindparam("at")), before)
    for row in changed:
        old = known.get(row["id"])
        if old is None or not _is_same(old, row):
            times = (row["ended_at"], None if old is None else old.ended_at)
            pool = Pool(row["variant"], row["speed"])
            mark_due(connection, pool, [time for time in times if time is not None])


def remove_rated(connection: Connection, ids: Sequence[str]) -> None:
    """Forget what games count, and note from when on ratings are due because of it."""
    for row in select_rows_in(connection, select(RATED_GAME), RATED_GAME.c.id, ids):
        mark_due(connection, Pool(row.variant, row.speed), [row.ended_at] if row.ended_at else [])
    connection.execute(delete(RATED_GAME).where(is_among(connection, RATED_GAME.c.id, ids)))


def mark_due(connection: Connection, pool: Pool, times: Iterable[int]) -> None:
    """Note that the ratings of a pool change from the earliest of these times on."""
    since = min(times, default=None)
    if since is None:
        return
    due = _is_of(RATING_DUE, pool)
    before = connection.execute(select(RATING_DUE.c.since).where(due)).scalar()
    if before is None:
        connection.execute(insert(RATING_DUE).values(**pool._asdict(), since=since))
    elif since < before:
        connection.execute(update(RATING_DUE).where(due).values(since=since))


class Ratings:
    """The ratings in a database; periods are `length` milliseconds long."""

    def __init__(self, database: Database, length: int) -> None:
        self.database = database
        self.length = length

    def close(self, now: int) -> None:
        """Compute what has changed in the periods that are over at `now`."""
        due = self.database.read(_due)
        if any(since < now - now % self.length for since in due.values()):
            self.database.write(lambda connection: self._close(connection, now))

    def _close(self, connection: Connection, now: int) -> None:
        open_since = now - now % self.length
        for pool, since in _due(connection).items():
            if since < open_since:
                try:
                    _compute(connection, pool, since // self.length, self.length, open_since)
                except ArithmeticError:
                    # Nothing is written yet: the pool stays due, and the others go on.
                    log.exception("the ratings of %s, %s could not be computed", *pool)

    def ranking(self, pool: Pool, now: int, limit: int) -> dict[str, Rated]:
        """The best players of a pool, best first, with their ratings after the last closed period.

        A period without a game does not change the order, only how certain a rating is.
        """
        chosen = (
            select(RATING)
            .where(_is_of(RATING, pool), RATING.c.latest)
            .order_by(RATING.c.rating.desc(), RATING.c.player.desc())
            .limit(limit)
        )
        rows = self.database.read(lambda connection: connection.execute(chosen).all())
        return {row.player: self._as_of(_rated(row), now) for row in rows}

    def of(self, players: Sequence[str], now: int) -> dict[str, dict[Pool, Rated]]:
        """The ratings of these players at the end of the last closed period, by player and pool."""
        found: dict[str, dict[Pool, Rated]] = {player: {} for player in players}
        if not players:
            return found
        chosen = select(RATING).where(_is_of_any_pool(), RATING.c.latest)

        def read(connection: Connection) -> Sequence[Row[Any]]:
            return select_rows_in(connection, chosen, RATING.c.player, found)

        by_player: dict[str, dict[Pool, Rated]] = {player: {} for player in players}
        for row in self.database.read(read):
            pool = Pool(row.variant, row.speed)
            by_player[row.player][pool] = self._as_of(_rated(row), now)
        for player, ratings in by_player.items():
            found[player] = {pool: ratings[pool] for pool in list_pools() if pool in ratings}
        return found

    def _as_of(self, one: Rated, now: int) -> Rated:
        """A rating as of the end of the last closed period."""
        last = now // self.length - 1
        return Rated(one.period, idle(one.rating, last - one.period), one.games)

    def history(self, player: str) -> dict[Pool, list[Rated]]:
        """A player's ratings by pool, after each period in which they played, oldest first."""
        chosen = (
            select(RATING)
            .where(_is_of_any_pool(), RATING.c.player == player)
            .order_by(RATING.c.period)
        )
        rows = self.database.read(lambda connection: connection.execute(chosen).all())
        found: dict[Pool, list[Rated]] = {}
        for row in rows:
            found.setdefault(Pool(row.variant, row.speed), []).append(_rated(row))
        return {pool: found[pool] for pool in list_pools() if pool in found}


def list_pools() -> list[Pool]:
    """All pools, in the order in which they are shown."""
    return [Pool(variant, speed) for variant in VARIANTS for speed in SPEED_CLASSES]


def _is_of(table: Table, pool: Pool) -> ColumnElement[bool]:
    return and_(table.c.variant == pool.variant, table.c.speed == pool.speed)


def _is_of_any_pool() -> ColumnElement[bool]:
    """Of a pool that is shown; indexes find players only within a variant and a speed class."""
    return and_(RATING.c.variant.in_(list(VARIANTS)), RATING.c.speed.in_(SPEED_CLASSES))


def _due(connection: Connection) -> dict[Pool, int]:
    """The time from which on the ratings of each pool are to be computed anew."""
    found = connection.execute(select(RATING_DUE))
    return {Pool(row.variant, row.speed): row.since for row in found}


def _compute(connection: Connection, pool: Pool, first: int, length: int, open_since: int) -> None:
    """Compute the periods of a pool from `first` up to the one that is not over."""
    table = {row.player: _rated(row) for row in connection.execute(_last_before(pool, first))}
    made: list[dict[str, Any]] = []
    games = _games(connection, pool, first * length, open_since)
    for period, of_period in groupby(games, key=lambda one: one[0] // length):
        result = rate(table, period, [game for _, game in of_period])
        table.update(result)
        made += [_row(pool, player, one) for player, one in result.items()]
    connection.execute(delete(RATING).where(_is_of(RATING, pool), RATING.c.period >= first))
    if made:
        connection.execute(insert(RATING), made)
    _mark_latest(connection, pool, table)
    connection.execute(delete(RATING_DUE).where(_is_of(RATING_DUE, pool)))
    # Games of the period that is not over are still to be counted.
    rated = RATED_GAME.c
    later = (
        select(rated.ended_at)
        .where(_is_of(RATED_GAME, pool), rated.ended_at >= open_since)
        .order_by(rated.ended_at)
        .limit(1)
    )
    mark_due(connection, pool, connection.execute(later).scalars())


def _last_before(pool: Pool, period: int) -> Select[Any]:
    """Everybody's rating at the end of the last of their periods before this one."""
    later = RATING.alias("later")
    between = (
        select(later.c.period)
        .where(
            later.c.variant == RATING.c.variant,
            later.c.speed == RATING.c.speed,
            later.c.player == RATING.c.player,
            later.c.period > RATING.c.period,
            later.c.period < period,
        )
        .exists()
    )
    return select(RATING).where(_is_of(RATING, pool), RATING.c.period < period, ~between)


def _mark_latest(connection: Connection, pool: Pool, table: Mapping[str, Rated]) -> None:
    """Mark the rating that each player has now."""
    of_pool = _is_of(RATING, pool)
    connection.execute(update(RATING).where(of_pool, RATING.c.latest).values(latest=False))
    newest = [{"who": player, "when": one.period} for player, one in table.items()]
    if newest:
        at = (of_pool, RATING.c.player == bindparam("who"), RATING.c.period == bindparam("when"))
        connection.execute(update(RATING).where(*at).values(latest=True), newest)


def _games(
    connection: Connection, pool: Pool, since: int, until: int
) -> Iterator[tuple[int, RatedGame]]:
    """The games that ended within a time, each with its end, in the order in which they ended."""
    rated = RATED_GAME.c
    chosen = (
        select(RATED_GAME)
        .where(_is_of(RATED_GAME, pool), rated.ended_at >= since, rated.ended_at < until)
        .order_by(rated.ended_at, rated.id)
    )
    for row in connection.execute(chosen):
        yield row.ended_at, RatedGame(row.id, row.first, row.second, row.score)


def _is_news(row: Mapping[str, Any], known: Row[Any] | None, reopened: bool) -> bool:
    """Whether a row is to be written; one that counts nothing only replaces another one.

    The row of a reopened game is always written, so that an older version is seen to be outdated.
    """
    if known is None:
        return reopened or row["ended_at"] is not None
    return bool(known.version < row["version"])


def _is_same(old: Row[Any], new: Mapping[str, Any]) -> bool:
    return all(getattr(old, name) == value for name, value in new.items() if name != "version")


def _row(pool: Pool, player: str, one: Rated) -> dict[str, Any]:
    return {
        **pool._asdict(),
        "player": player,
        "period": one.period,
        "rating": one.rating.rating,
        "deviation": one.rating.deviation,
        "volatility": one.rating.volatility,
        "games": one.games,
        "latest": False,
    }


def _rated(row: Row[Any]) -> Rated:
    return Rated(row.period, Rating(row.rating, row.deviation, row.volatility), row.games)
