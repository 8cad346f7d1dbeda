"""The rows of puzzles: their contents, and their current ratings."""

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
from service.projection.database.tables import (
    ATTEMPT,
    FOUND_PUZZLE,
    PUZZLE,
    PUZZLE_COLLECTION,
    PUZZLE_THEME,
    PUZZLE_WITHDRAWAL,
)
from service.puzzles.collection import load_collection
from service.puzzles.puzzle import Puzzle
from service.rating.glicko2 import Rating
from service.rating.puzzle_rating import begin_puzzle


def write_collection(database: Database) -> None:
    """Make the tables hold just the puzzles that come with the service and those found in games.

    Rows are compared only if others came with the service before. Raises DatabaseError.
    """
    collection = load_collection()

    def is_written(connection: Connection) -> bool:
        return connection.execute(select(PUZZLE_COLLECTION.c.digest)).scalar() == collection.digest

    def write(connection: Connection) -> None:
        own = {one.id for one in collection.list_puzzles()}
        listed = set(connection.execute(select(PUZZLE.c.id)).scalars())
        settle_puzzles(connection, own | listed)
        connection.execute(delete(PUZZLE_COLLECTION))
        connection.execute(insert(PUZZLE_COLLECTION).values(digest=collection.digest))

    if not database.read(is_written):
        database.write(write)


def settle_puzzles(connection: Connection, ids: Iterable[str]) -> None:
    """Write these puzzles as they come with the service, or else as first found in a game.

    Those that are neither, and those that are withdrawn, are deleted.
    """
    differing = find_differing(connection, ids)
    wanted = find_wanted(connection, differing)
    write_puzzles(connection, wanted.values())
    remove_puzzles(connection, differing - wanted.keys())


def find_differing(connection: Connection, ids: Iterable[str]) -> set[str]:
    """Those of these puzzles whose rows are not as they should be."""
    asked = list(ids)
    rows = select_rows_in(connection, select(PUZZLE), PUZZLE.c.id, asked)
    known = {row.id: _describe_row(row) for row in rows}
    wanted = find_wanted(connection, asked)
    return {id for id in asked if known.get(id) != wanted.get(id)}


def find_wanted(connection: Connection, ids: Iterable[str]) -> dict[str, dict[str, Any]]:
    """The rows that these puzzles should have, as `describe_puzzle` makes them, by id."""
    asked, collection = leave_out_withdrawn(connection, ids), load_collection()
    wanted = {id: describe_puzzle(collection.find(id)) for id in asked if id in collection}
    others = [id for id in asked if id not in wanted]
    found = select_rows_in(connection, select(FOUND_PUZZLE), FOUND_PUZZLE.c.puzzle, others)
    for row in sorted(found, key=lambda row: (row.at, row.game)):
        wanted.setdefault(row.puzzle, describe_puzzle(read_puzzle(row)))
    return wanted


def leave_out_withdrawn(connection: Connection, ids: Iterable[str]) -> list[str]:
    """Those of these puzzles that are not withdrawn."""
    asked, at = list(ids), PUZZLE_WITHDRAWAL.c
    withdrawn = set(select_in(connection, select(at.id).where(at.in_force), at.id, asked))
    return [id for id in asked if id not in withdrawn]


def write_puzzles(connection: Connection, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write puzzles as `describe_puzzle` makes them, in place of those with the same ids."""
    newest = {row["id"]: row for row in rows}
    remove_puzzles(connection, newest)
    if not newest:
        return
    made = [
        {**row, **_describe_rating(begin_puzzle(row["estimate"]), 0)} for row in newest.values()
    ]
    themes = [
        {"variant": row["variant"], "theme": theme, "puzzle": row["id"], "rating": row["rating"]}
        for row in made
        for theme in row["themes"].split()
    ]
    connection.execute(insert(PUZZLE), made)
    if themes:
        connection.execute(insert(PUZZLE_THEME), themes)
    refresh_ratings(connection, find_rated(connection, newest))


def find_rated(connection: Connection, ids: Iterable[str]) -> list[str]:
    """Those of these puzzles that have a rated attempt."""
    attempted = exists().where(_is_rated_attempt(PUZZLE.c.id))
    return select_in(connection, select(PUZZLE.c.id).where(attempted), PUZZLE.c.id, ids)


def remove_puzzles(connection: Connection, ids: Iterable[str]) -> None:
    """Delete puzzles; attempts at them stay, and so do the ratings of players for these."""
    gone = list(ids)
    for column in (PUZZLE.c.id, PUZZLE_THEME.c.puzzle):
        connection.execute(delete(column.table).where(is_among(connection, column, gone)))


def refresh_ratings(connection: Connection, ids: Iterable[str]) -> None:
    """Give each of these puzzles the rating that its last rated attempt left."""
    found = select_rows_in(connection, select(PUZZLE), PUZZLE.c.id, list(ids))
    ratings = {}
    for row in found:
        last = connection.execute(_find_last(row.id)).first()
        rating = begin_puzzle(row.estimate) if last is None else read_rating(last, "puzzle")
        ratings[row.id] = (rating, 0 if last is None else last.puzzle_attempts)
    set_ratings(connection, ratings)


def set_ratings(connection: Connection, ratings: Mapping[str, tuple[Rating, int]]) -> None:
    """Give these puzzles their ratings and numbers of attempts."""
    rows = [{"of": id, **_describe_rating(*rated)} for id, rated in ratings.items()]
    if not rows:
        return
    connection.execute(update(PUZZLE).where(PUZZLE.c.id == bindparam("of")), rows)
    themes = update(PUZZLE_THEME).where(PUZZLE_THEME.c.puzzle == bindparam("of"))
    connection.execute(
        themes.values(rating=bindparam("rated")),
        [{"of": row["of"], "rated": row["rating"]} for row in rows],
    )


def describe_puzzle(puzzle: Puzzle) -> dict[str, Any]:
    """The row of a puzzle, without its rating."""
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
    """The rating of the `player` or the `puzzle` after an attempt."""
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
