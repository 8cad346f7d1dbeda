"""The puzzles there are: listed, counted by theme, and chosen for players who want another one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, Select, func, select

from engine.registry import VARIANTS
from service.errors import NotFound
from service.projection.database.database import Database
from service.projection.database.tables import ATTEMPT, FOUND_PUZZLE, PUZZLE, PUZZLE_THEME
from service.projection.puzzles.puzzles import leave_out_withdrawn, read_puzzle
from service.puzzles.errors import NoPuzzle, WithdrawnPuzzle
from service.puzzles.puzzle import ID, Puzzle
from service.puzzles.themes import THEMES
from service.rating.glicko2 import Rating

NEAR: Final = 8
"""Puzzles on either side of a player's rating, one of which is chosen."""


@dataclass(frozen=True, slots=True)
class ListedPuzzle:
    """A puzzle with its rating after `attempts` attempts."""

    puzzle: Puzzle
    rating: Rating
    attempts: int


class ThemeCount(NamedTuple):
    """How many puzzles of a variant have a theme."""

    variant: str
    theme: str
    puzzles: int


class PuzzleSource(NamedTuple):
    """A game in which a puzzle is the position after `ply` actions."""

    game: str
    ply: int


class PuzzleList:
    """The projected list of puzzles; ratings in it lag behind the log as other lists do."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def find(self, id: str) -> ListedPuzzle:
        """The puzzle of this id; raises NotFound, or WithdrawnPuzzle if it is withdrawn."""
        if ID.fullmatch(id):
            for found in self._list(PUZZLE.c.id == id):
                return found
            if self.database.read(lambda connection: not leave_out_withdrawn(connection, [id])):
                raise WithdrawnPuzzle(id)
        raise NotFound("puzzle", id)

    def find_source(self, id: str) -> PuzzleSource | None:
        """The game in which a puzzle was first found; None for one that is from no game."""
        at = FOUND_PUZZLE.c
        found = select(at.game, at.ply).where(at.puzzle == id).order_by(at.at, at.game).limit(1)
        row = self.database.read(lambda connection: connection.execute(found).first())
        return None if row is None else PuzzleSource(row.game, row.ply)

    def page(
        self, variant: str | None, theme: str | None, after: str = "", limit: int = 50
    ) -> list[ListedPuzzle]:
        """Up to `limit` puzzles of a variant and a theme whose ids come after `after`."""
        shelves = [_find_shelf(name, theme) for name in ([variant] if variant else VARIANTS)]

        def read_ids(connection: Connection) -> list[str]:
            ids: list[str] = []
            for shelf in shelves:
                behind = shelf.ids.where(shelf.id > after).order_by(shelf.id).limit(limit)
                ids += connection.scalars(behind)
            return sorted(ids)[:limit]

        found = self._list(PUZZLE.c.id.in_(self.database.read(read_ids)))
        return sorted(found, key=lambda one: one.puzzle.id)

    def find_following(
        self, variant: str | None, theme: str | None, after: str = ""
    ) -> ListedPuzzle:
        """The puzzle that follows by id; the first one after the last. Raises NoPuzzle."""
        for behind in (after, ""):
            for found in self.page(variant, theme, behind, 1):
                return found
        raise NoPuzzle

    def find_near(
        self,
        player: str,
        ratings: Mapping[str, float],
        theme: str | None,
        but: str = "",
        newest: Collection[str] = (),
    ) -> ListedPuzzle | None:
        """A puzzle that a player has not tried, near one of these ratings by variant.

        It is not the puzzle `but`, nor one of the `newest` attempts, which may not be listed yet.
        None where all that fit have been tried. The order of the
        nearest depends on the player, so that not everybody begins with the same one; the one that
        follows `but` in this order is chosen, so that a player who skips them sees them all.
        """
        near: list[tuple[float, ListedPuzzle]] = []
        for variant, rating in ratings.items():
            shelf = _find_shelf(variant, theme)
            tried = (
                select(ATTEMPT.c.puzzle)
                .where(ATTEMPT.c.player == player, ATTEMPT.c.puzzle == shelf.id)
                .exists()
            )
            open = shelf.ids.where(shelf.id.not_in({but, *newest}), ~tried).limit(NEAR)
            harder = open.where(shelf.rating >= rating).order_by(shelf.rating, shelf.id)
            easier = open.where(shelf.rating < rating).order_by(
                shelf.rating.desc(), shelf.id.desc()
            )
            for found in (*self._list_among(harder), *self._list_among(easier)):
                near.append((abs(found.rating.rating - rating), found))
        nearest = sorted(near, key=lambda one: (one[0], one[1].puzzle.id))[:NEAR]
        places = {_shuffle(player, one.puzzle.id): one for _, one in nearest}
        behind = [place for place in places if place > _shuffle(player, but)]
        return places[min(behind or places)] if places else None

    def count_themes(self) -> list[ThemeCount]:
        """How many puzzles each variant has of each theme, in the order of both."""
        at = PUZZLE_THEME.c
        counted = select(at.variant, at.theme, func.count()).group_by(at.variant, at.theme)
        found = self.database.read(lambda connection: connection.execute(counted).all())
        known = {(variant, theme): count for variant, theme, count in found}
        return [
            ThemeCount(variant, theme, known[variant, theme])
            for variant in VARIANTS
            for theme in THEMES
            if (variant, theme) in known
        ]

    def _list_among(self, ids: Select[tuple[str]]) -> list[ListedPuzzle]:
        """The puzzles with the ids that a query gives, in any order."""
        return self._list(PUZZLE.c.id.in_(ids.correlate(None)))

    def _list(self, which: ColumnElement[bool]) -> list[ListedPuzzle]:
        def read(connection: Connection) -> Sequence[Row[Any]]:
            return connection.execute(select(PUZZLE).where(which)).all()

        return [_read_listed(row) for row in self.database.read(read)]


class _Shelf(NamedTuple):
    """The ids of puzzles to choose from, and the columns by whose indexes they are in order."""

    ids: Select[tuple[str]]
    id: ColumnElement[str]
    rating: ColumnElement[float]


def _find_shelf(variant: str, theme: str | None) -> _Shelf:
    """The puzzles of a variant and a theme; those of a rare theme are found as fast as others."""
    at, of = PUZZLE.c, PUZZLE_THEME.c
    if theme is None:
        return _Shelf(select(at.id).where(at.variant == variant), at.id, at.rating)
    themed = select(of.puzzle).where(of.variant == variant, of.theme == theme)
    return _Shelf(themed, of.puzzle, of.rating)


def _read_listed(row: Row[Any]) -> ListedPuzzle:
    rating = Rating(row.rating, row.deviation, row.volatility)
    return ListedPuzzle(read_puzzle(row), rating, row.attempts)


def _shuffle(player: str, puzzle: str) -> bytes:
    return sha256(f"{player} {puzzle}".encode()).digest()
