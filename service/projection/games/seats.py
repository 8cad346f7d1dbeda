"""Who sits in which games, by number; games of merged players also stand under each survivor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, Select, bindparam, delete, select

from service.projection.data_version import advance_data_version
from service.projection.database.chunks import batched, insert_tuples
from service.projection.database.tables import GAME, SEAT
from service.projection.games.rows import Seat, seats_of

CHUNK: Final = 1000
"""Games whose seats are written together."""

Survivors = Callable[[Iterable[str]], Mapping[str, Sequence[str]]]
"""Looks up the players that players were merged into, all the way; has nothing for others."""

SEAT_COLUMNS: Final = ("player", "number", "side", "variant", "went", "opponent")
DELETE_SEATS: Final = delete(SEAT).where(SEAT.c.number == bindparam("at"))


def write_seats(connection: Connection, player: str, survivors: Survivors) -> None:
    """Rewrite who sits in the games of a player who was merged into another, or parted from one."""
    mine = select(SEAT.c.number).where(SEAT.c.player == player)
    at = GAME.c
    named = (at.number, at.variant, at.first, at.second, at.result)
    chosen: Select[Any] = select(*named).order_by(at.number)
    found = connection.execute(chosen.where(at.number.in_(mine))).all()
    for some in batched(found, CHUNK):
        connection.execute(DELETE_SEATS, [{"at": row.number} for row in some])
        insert_seats(connection, some, survivors)
    if found:
        advance_data_version(connection)


def insert_seats(connection: Connection, games: Sequence[Row[Any]], survivors: Survivors) -> None:
    """Write who sits in games, given by their rows, none of which has seats yet."""
    merged = survivors({id for row in games for id in (row.first, row.second) if id})
    seats = [
        seat
        for row in games
        for seat in seat_rows(
            row.number, row.variant, seats_of((row.first, row.second), row.result, merged)
        )
    ]
    insert_tuples(connection, SEAT, SEAT_COLUMNS, sorted(seats))


def seat_rows(number: int, variant: str, seats: Iterable[Seat]) -> list[tuple[Any, ...]]:
    """The rows of a game's seats, with the values of SEAT_COLUMNS."""
    return [(player, number, side, variant, went, other) for player, side, went, other in seats]
