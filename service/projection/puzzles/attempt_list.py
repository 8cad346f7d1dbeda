"""Attempts as they are listed: a player's own, newest first, with the rating changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, select

from service.projection.cursors import is_older, read_cursor, write_cursor
from service.projection.database.database import Database
from service.projection.database.tables import ATTEMPT
from service.projection.puzzles.puzzles import read_rating
from service.rating.glicko2 import Rating


@dataclass(frozen=True, slots=True)
class RatingChange:
    """How an attempt changed somebody's rating."""

    before: float
    after: Rating


@dataclass(frozen=True, slots=True)
class ListedAttempt:
    """A player's first attempt at a puzzle; `at` is in milliseconds since 1970 UTC.

    The changes of both ratings are None until the attempt is rated.
    """

    puzzle: str
    variant: str
    at: int
    solved: bool
    help: str
    actions: tuple[str, ...]
    player_rating: RatingChange | None
    puzzle_rating: RatingChange | None


class AttemptPage(NamedTuple):
    """Attempts newest first, and where the next page begins; None after the last."""

    attempts: list[ListedAttempt]
    next_cursor: str | None


class AttemptList:
    """The projected attempts; they lag behind the log as other lists do."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def find(self, player: str, puzzle: str) -> ListedAttempt | None:
        """A player's attempt at a puzzle, None where none is known."""
        at = ATTEMPT.c
        chosen = select(ATTEMPT).where(at.player == player, at.puzzle == puzzle)
        row = self.database.read(lambda connection: connection.execute(chosen).first())
        return None if row is None else _read_attempt(row)

    def page(
        self, player: str, variant: str | None = None, cursor: str | None = None, limit: int = 50
    ) -> AttemptPage:
        """Up to `limit` attempts of a player older than `cursor`; raises BadCursor."""
        at = ATTEMPT.c
        chosen = select(ATTEMPT).where(at.player == player)
        if variant is not None:
            chosen = chosen.where(at.variant == variant)
        last_key = read_cursor(cursor, player, variant)
        if last_key is not None:
            chosen = chosen.where(is_older(at.at, at.puzzle, last_key))
        chosen = chosen.order_by(at.at.desc(), at.puzzle.desc()).limit(limit + 1)

        def read(connection: Connection) -> list[ListedAttempt]:
            return [_read_attempt(row) for row in connection.execute(chosen)]

        found = self.database.read(read)
        if len(found) <= limit:
            return AttemptPage(found, None)
        last = found[limit - 1]
        return AttemptPage(found[:limit], write_cursor((last.at, last.puzzle), player, variant))


def _read_attempt(row: Row[Any]) -> ListedAttempt:
    return ListedAttempt(
        row.puzzle,
        row.variant,
        row.at,
        row.solved,
        row.help,
        tuple(row.actions.split()),
        _read_change(row, "player"),
        _read_change(row, "puzzle"),
    )


def _read_change(row: Row[Any], whose: str) -> RatingChange | None:
    before: float | None = getattr(row, f"{whose}_before")
    return None if before is None else RatingChange(before, read_rating(row, whose))
