"""The rows of puzzles: what they are, and what they are rated now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    and_,
    bindparam,
    delete,
    exists,
    insert,
    select,
    update,
)

from service.projection.database.chunks import is_among, select_in, select_rows_in
from service.projection.database.database import Database
from service.projection.database.tables import ATTEMPT, FOUND_PUZZLE, PUZZLE, PUZZLE_THEME
from service.puzzles.collection import load_collection
from service.puzzles.puzzle import Puzzle
from service.rating.glicko2 import Rating
from service.rating.puzzle_rating import begin_puzzle


def write_collection(database: Database) -> None:
    """Let the tables have the puzzles that come with the service, and those found in games alone.

    Nothing is written where they have them already. Raises DatabaseError.
    """
    own = {one.id for one in load_collection().list_puzzles()}

    def find(connection: Connection) -> set[str]:
        listed = set(connection.execute(select(PUZZLE.c.id)).scalars())
        return find_differing(connection, own | listed)

    def write(connection: Connection) -> None:
        settle_puzzles(connection, find(connection))

    if database.read(find):
        database.write(write)


def settle_puzzles(connection: Connection, ids: Iterable[str]) -> None:
    """Let these puzzles be as they come with the service, else as they were first found in a game.

    Those that are neither are deleted.
    """
    differing = find_differing(connection, ids)
    wanted = find_wanted(connection, differing)
    write_puzzles(connection, wanted.values())
    remove_puzzles(connection, differing - wanted.keys())


def find_differing(connection: Connection, ids: Iterable[str]) -> set[str]:
    """Those of these puzzles whose rows are not what they are to be."""
    asked = list(ids)
    rows = select_rows_in(connection, select(PUZZLE), PUZZLE.c.id, asked)
    known = {row.id: _describe_row(row) for row in rows}
    wanted = find_wanted(connection, asked)
    return {id for id in asked if known.get(id) != wanted.get(id)}


def find_wanted(connection: Connection, ids: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The rows that these puzzles are to have, as `describe_puzzle` makes them, by id."""
    asked, collection = list(ids), load_collection()
    wanted = {id: describe_puzzle(collection.find(id)) for id in asked if id in collection}
    others = [id for id in asked if id not in wanted]
    found = select_rows_in(connection, select(FOUND_PUZZLE), FOUND_PUZZLE.c.puzzle, others)
    for row in sorted(found, key=lambda row: (row.at, row.game)):
        wanted.setdefault(row.puzzle, describe_puzzle(read_puzzle(row)))
    return wanted


def write_puzzles(connection: Connection, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write puzzles as `describe_puzzle` makes them, in place of those of the same ids."""
    newest = {row["id"]: row for row in rows}
    remove_puzzles(connection, newest)
    if not newest:
        return
    made = [
        {**row, **_describe_rating(begin_puzzle(row["estimate"]), 0)} for row in newest.values()
    ]
    themes = [
        {"variant": row["variant"], "theme": theme, "puzzle": id}
        for id, row in newest.items()
        for theme in row["themes"].split()
    ]
    connection.execute(insert(PUZZLE), made)
    if themes:
        connection.execute(insert(PUZZLE_THEME), themes)
    refresh_ratings(connection, find_rated(connection, newest))


def find_rated(connection: Connection, ids: Iterable[str]) -> list[str]:
    """Those of these puzzles that a rated attempt was made at."""
    attempted = exists().where(_is_rated_attempt(PUZZLE.c.id))
    return select_in(connection, select(PUZZLE.c.id).where(attempted), PUZZLE.c.id, ids)


def remove_puzzles(connection: Connection, ids: Iterable[str]) -> None:
    """Delete puzzles; attempts at them stay, and what players are rated for these."""
    gone = list(ids)
    for column in (PUZZLE.c.id, PUZZLE_THEME.c.puzzle):
        connection.execute(delete(column.table).where(is_among(connection, column, gone)))


def refresh_ratings(connection: Connection, ids: Iterable[str]) -> None:
    """Let these puzzles have what the last rated attempt at each has made of them."""
    found = select_rows_in(connection, select(PUZZLE), PUZZLE.c.id, list(ids))
    ratings = {}
    for row in found:
        last = connection.execute(_find_last(row.id)).first()
        rating = begin_puzzle(row.estimate) if last is None else read_rating(last, "puzzle")
        ratings[row.id] = (rating, 0 if last is None else last.puzzle_attempts)
    set_ratings(connection, ratings)


def set_ratings(connection: Connection, ratings: Mapping[str, tuple[Rating, int]]) -> None:
    """Let these puzzles have ratings after so many attempts."""
    rows = [{"of": id, **_describe_rating(*rated)} for id, rated in ratings.items()]
    if rows:
        connection.execute(update(PUZZLE).where(PUZZLE.c.id == bindparam("of")), rows)


def describe_puzzle(puzzle: Puzzle) -> dict[str, Any]:
    """A puzzle as its row has it, but for its rating."""
    return {
        "id": puzzle.id,
        "variant": puzzle.variant,
        "fen": puzzle.fen,
        "last": puzzle.last or "",
        "line": " ".join(puzzle.line),
        "themes": " ".join(puzzle.themes),
        "estimate": puzzle.rating,
    }


def read_puzzle(row: Row[Any]) -> Puzzle:
    """The puzzle of a row; its rating is the estimate."""
    return Puzzle(
        row.variant,
        row.fen,
        row.last or None,
        tuple(row.line.split()),
        tuple(row.themes.split()),
        row.estimate,
    )


def read_rating(row: Row[Any], whose: str) -> Rating:
    """What an attempt has made of the rating of the `player` or the `puzzle`."""
    parts = (getattr(row, f"{whose}_{part}") for part in ("rating", "deviation", "volatility"))
    return Rating(*parts)


def _find_last(puzzle: str) -> Any:
    at = ATTEMPT.c
    rated = select(ATTEMPT).where(_is_rated_attempt(puzzle))
    return rated.order_by(at.at.desc(), at.player.desc(), at.version.desc()).limit(1)


def _is_rated_attempt(puzzle: ColumnElement[str] | str) -> ColumnElement[bool]:
    return and_(ATTEMPT.c.puzzle == puzzle, ATTEMPT.c.puzzle_rating.is_not(None))


def _describe_row(row: Row[Any]) -> dict[str, Any]:
    return describe_puzzle(read_puzzle(row)) | {"id": row.id}


def _describe_rating(rating: Rating, attempts: int) -> dict[str, Any]:
    return {
        "rating": rating.rating,
        "deviation": rating.deviation,
        "volatility": rating.volatility,
        "attempts": attempts,
    }
