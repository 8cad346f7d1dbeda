"""The ratings of players and puzzles: Glicko-2, by variant, one attempt after the other.

Attempts are rated in the order of their times, whichever partition of the log they come from. When
one comes late, all those after it are rated once more; so the ratings are the same whenever and
however they are computed. Between attempts a player's rating gets less certain with each rating
period; a puzzle's stays as it is.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from sqlalchemy import (
    Connection,
    Row,
    Select,
    bindparam,
    case,
    delete,
    func,
    select,
    update,
)

from engine.registry import VARIANTS
from service.projection.database.database import Database
from service.projection.database.tables import ATTEMPT, ATTEMPT_DUE
from service.projection.puzzles.puzzles import read_rating, set_ratings
from service.projection.rating_periods import idle
from service.rating.glicko2 import Rating
from service.rating.puzzle_rating import begin_puzzle, rate_attempt

STEP: Final = 2000
"""The approximate number of attempts that are rated in one transaction."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A rating after `attempts` attempts, and the time of the last one."""

    rating: Rating
    attempts: int = 0
    at: int = 0


@dataclass(frozen=True, slots=True)
class SolverRating:
    """A player's rating in a variant after `attempts` attempts, of which some were solved."""

    rating: Rating
    attempts: int = 0
    solved: int = 0


class PuzzleRatings:
    """The ratings in a database; a player's period is `length` milliseconds long."""

    def __init__(self, database: Database, length: int) -> None:
        self.database = database
        self.length = length

    def rate(self, seconds: float = float("inf")) -> bool:
        """Rate what is due, for about `seconds` seconds; returns whether some of it is left.

        However little time there is, some of each variant is rated.
        """
        until = time.monotonic() + seconds
        while due := self.database.read(_read_due):
            for variant in due:
                self.database.write(partial(self._rate_some, variant=variant))
            if time.monotonic() >= until:
                return bool(self.database.read(_read_due))
        return False

    def of(self, player: str, now: int) -> dict[str, SolverRating]:
        """A player's ratings at a time, by the variants whose puzzles they have tried."""
        at = ATTEMPT.c
        solved = func.sum(case((at.solved, 1), else_=0))
        counts = (
            select(at.variant, func.count(), solved)
            .where(at.player == player, at.player_rating.is_not(None))
            .group_by(at.variant)
        )

        def read(connection: Connection) -> dict[str, SolverRating]:
            found = {}
            for variant, attempts, successes in connection.execute(counts).all():
                last = connection.execute(_last_of_player(player, variant).limit(1)).one()
                rating = self.grow(_read_standing(last, "player"), now)
                found[variant] = SolverRating(rating, attempts, int(successes))
            return {variant: found[variant] for variant in VARIANTS if variant in found}

        return self.database.read(read)

    def grow(self, standing: Standing, now: int) -> Rating:
        """A player's rating at a later time: less certain with each period without an attempt."""
        if not standing.attempts:
            return standing.rating
        without = now // self.length - standing.at // self.length - 1
        return idle(standing.rating, max(0, without))

    def _rate_some(self, connection: Connection, variant: str) -> None:
        """Rate the first attempts of a variant that are due."""
        since = _read_due(connection).get(variant)
        if since is None:
            return
        at = ATTEMPT.c
        behind = select(ATTEMPT).where(at.variant == variant, at.at >= since)
        ordered = behind.order_by(at.at, at.player, at.version)
        rows = connection.execute(ordered.limit(STEP)).all()
        until = rows[-1].at if len(rows) == STEP else None
        if until is not None:
            # Attempts of one moment are not split, since the next step begins with a moment.
            rows = connection.execute(ordered.where(at.at <= until)).all()
        self._rate_rows(connection, since, rows)
        _set_due(connection, variant, None if until is None else until + 1)

    def _rate_rows(self, connection: Connection, since: int, rows: Sequence[Row[Any]]) -> None:
        """Rate attempts, none of which was made before `since`, in their order."""
        players: dict[str, Standing] = {}
        puzzles: dict[str, Standing] = {}
        made = []
        for row in rows:
            if row.player not in players:
                players[row.player] = _find_player(connection, row, since)
            if row.puzzle not in puzzles:
                puzzles[row.puzzle] = _find_puzzle(connection, row, since)
            player, puzzle = players[row.player], puzzles[row.puzzle]
            grown = self.grow(player, row.at)
            better, harder = rate_attempt(grown, puzzle.rating, solved=row.solved)
            players[row.player] = Standing(better, player.attempts + 1, row.at)
            puzzles[row.puzzle] = Standing(harder, puzzle.attempts + 1, row.at)
            made.append(
                {"who": row.player, "which": row.puzzle}
                | _describe("player", grown, players[row.player])
                | _describe("puzzle", puzzle.rating, puzzles[row.puzzle])
            )
        if made:
            which = (ATTEMPT.c.player == bindparam("who"), ATTEMPT.c.puzzle == bindparam("which"))
            connection.execute(update(ATTEMPT).where(*which), made)
        set_ratings(connection, {id: (one.rating, one.attempts) for id, one in puzzles.items()})


def _read_due(connection: Connection) -> dict[str, int]:
    """The time from which on the attempts of each variant are to be rated."""
    return {row.variant: row.since for row in connection.execute(select(ATTEMPT_DUE))}


def _set_due(connection: Connection, variant: str, since: int | None) -> None:
    """Note the time from which on attempts are to be rated now; None for none."""
    of_variant = ATTEMPT_DUE.c.variant == variant
    if since is None:
        connection.execute(delete(ATTEMPT_DUE).where(of_variant))
    else:
        connection.execute(update(ATTEMPT_DUE).where(of_variant).values(since=since))


def _find_player(connection: Connection, row: Row[Any], since: int) -> Standing:
    """The rating of a player before a time, in the variant of an attempt."""
    earlier = _last_of_player(row.player, row.variant).where(ATTEMPT.c.at < since).limit(1)
    last = connection.execute(earlier).first()
    return Standing(Rating()) if last is None else _read_standing(last, "player")


def _find_puzzle(connection: Connection, row: Row[Any], since: int) -> Standing:
    """The rating of the puzzle of an attempt before a time."""
    at = ATTEMPT.c
    earlier = (
        select(ATTEMPT)
        .where(at.puzzle == row.puzzle, at.at < since)
        .order_by(at.at.desc(), at.player.desc(), at.version.desc())
        .limit(1)
    )
    last = connection.execute(earlier).first()
    return Standing(begin_puzzle(row.estimate)) if last is None else _read_standing(last, "puzzle")


def _last_of_player(player: str, variant: str) -> Select[Any]:
    at = ATTEMPT.c
    rated = (at.player == player, at.variant == variant, at.player_rating.is_not(None))
    return select(ATTEMPT).where(*rated).order_by(at.at.desc(), at.version.desc())


def _read_standing(row: Row[Any], whose: str) -> Standing:
    return Standing(read_rating(row, whose), getattr(row, f"{whose}_attempts"), row.at)


def _describe(whose: str, before: Rating, after: Standing) -> dict[str, Any]:
    rating = after.rating
    return {
        f"{whose}_before": before.rating,
        f"{whose}_rating": rating.rating,
        f"{whose}_deviation": rating.deviation,
        f"{whose}_volatility": rating.volatility,
        f"{whose}_attempts": after.attempts,
    }
