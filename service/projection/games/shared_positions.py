"""The games of positions that many games share, in the order of their ratings.

Games of other positions are few, and are sorted when they are requested.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, bindparam, delete, insert, literal, select

from service.projection.database.chunks import insert_tuples, is_among
from service.projection.database.tables import GAME, GAME_POSITION, SHARED_POSITION

NAMES: Final = ("key", "rating", "number")
Entry = tuple[int, int, int]
"""The key of a position, the rating of a game that reached it, and the game's number."""


def is_shared(key: ColumnElement[Any] | int) -> ColumnElement[bool]:
    """A condition that the games of the position with this key are in this table."""
    return select(literal(1)).where(SHARED_POSITION.c.key == key).exists()


def begin(connection: Connection, keys: Collection[int]) -> None:
    """Write all games of positions that have become shared."""
    at = GAME_POSITION.c
    chosen = (
        select(at.key, GAME.c.rating, at.number)
        .join_from(GAME_POSITION, GAME, GAME.c.number == at.number)
        .where(is_among(connection, at.key, keys))
        .distinct()
    )
    connection.execute(insert(SHARED_POSITION).from_select(NAMES, chosen))


def end(connection: Connection, keys: Iterable[int]) -> None:
    """Delete the games of positions that are no longer shared."""
    given = [{"at_key": key} for key in keys]
    if given:
        connection.execute(_DELETE_ALL, given)


def replace(connection: Connection, gone: Collection[Entry], come: Collection[Entry]) -> None:
    """Write the games that were added to shared positions, and delete those that were removed."""
    come, gone = set(come), set(gone)
    deleted: Sequence[Entry] = sorted(gone - come)
    if deleted:
        given = [{"at_key": key, "of": rating, "at": number} for key, rating, number in deleted]
        connection.execute(_DELETE, given)
    insert_tuples(connection, SHARED_POSITION, NAMES, sorted(come - gone))


_DELETE_ALL: Final = delete(SHARED_POSITION).where(SHARED_POSITION.c.key == bindparam("at_key"))
_DELETE: Final = _DELETE_ALL.where(
    SHARED_POSITION.c.rating == bindparam("of"), SHARED_POSITION.c.number == bindparam("at")
)
