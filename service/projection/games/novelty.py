"""Where a game left the archive: its first position that no earlier game had reached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sqlalchemy import BigInteger, ColumnElement, Connection, exists, func, select

from service.game.begin import find_initial_position
from service.game.state import GameState
from service.projection.database.chunks import batched, table_of
from service.projection.database.database import Database
from service.projection.database.tables import GAME, GAME_POSITION
from service.projection.games.keys import position_key
from service.projection.games.numbers import number_of
from service.projection.games.openings import LISTED
from service.projection.games.search import to_summary
from service.projection.summary import GameSummary

COUNTED: Final = 1000
"""The most earlier games that are counted."""
TOGETHER: Final = 64
"""Positions that are looked up in one statement."""


@dataclass(frozen=True, slots=True)
class Novelty:
    """The action with which a game left the archive, and the position that it left from.

    `ply` is the action's number, from 1, or None where earlier games had reached every position of
    the game; then its last position takes the place of the position before it. `games` is how many
    earlier games had reached that position, counted up to COUNTED, and `last` is the newest of
    them. A game may return to known positions later, by transposition.
    """

    ply: int | None
    games: int
    last: GameSummary | None


def find_novelty(database: Database, state: GameState) -> Novelty:
    """Where a finished game left the finished games that were created before it.

    Looks into an index once for each position up to there. Raises DatabaseError.
    """
    return database.read(lambda connection: _find(connection, state))


def _find(connection: Connection, state: GameState) -> Novelty:
    found = select(GAME.c.number).where(GAME.c.id == state.id)
    number = connection.execute(found).scalar()
    if number is None:
        # Not listed yet, and so newer than all listed games.
        number = number_of(state.created_at, state.id)
    before: tuple[int, int | None] | None = None
    for ply, (key, newest) in enumerate(_look_up(connection, state, number)):
        if before is not None and newest is None:
            return _describe(connection, ply, *before, number)
        before = key, newest
    assert before is not None
    return _describe(connection, None, *before, number)


def _look_up(
    connection: Connection, state: GameState, number: int
) -> Iterator[tuple[int, int | None]]:
    """The key of each position, first to last, and the newest earlier game that reached it."""
    at = GAME_POSITION.c
    for keys in batched(_keys(state), TOGETHER):
        sought = table_of(connection, keys, BigInteger())
        earlier = select(at.number).where(at.key == sought.c.value, *_is_earlier(number))
        # Not their greatest number: for that the index would be read to its end.
        earlier = earlier.order_by(at.number.desc()).limit(1)
        chosen = select(sought.c.value, earlier.scalar_subquery())
        newest = dict(map(tuple, connection.execute(chosen)))
        yield from ((key, newest[key]) for key in keys)


def _keys(state: GameState) -> Iterator[int]:
    position = find_initial_position(state)
    yield position_key(state.variant, position)
    for played in state.played:
        position.play(played.action)
        yield position_key(state.variant, position)


def _describe(
    connection: Connection, ply: int | None, key: int, newest: int | None, number: int
) -> Novelty:
    if newest is None:
        return Novelty(ply, 0, None)
    at = GAME_POSITION.c
    some = select(at.number).where(at.key == key, *_is_earlier(number)).distinct().limit(COUNTED)
    counted = select(func.count()).select_from(some.subquery())
    row = connection.execute(select(*LISTED).where(GAME.c.number == newest)).one()
    return Novelty(ply, connection.execute(counted).scalar_one(), to_summary(row))


def _is_earlier(number: int) -> list[ColumnElement[bool]]:
    """The conditions that a row of GAME_POSITION is of a game before this one, not held back."""
    at = GAME_POSITION.c.number
    return [at < number, exists().where(GAME.c.number == at)]
