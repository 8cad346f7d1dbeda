"""Writes the rows of what was played in finished games: actions, positions and material."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, delete, insert

from service.projection.database.chunks import insert_tuples
from service.projection.database.tables import GAME_MATERIAL, GAME_PLAY, GAME_POSITION
from service.projection.games.continuations import Change
from service.projection.games.openings import Steps
from service.projection.games.play import Play


def insert_plays(connection: Connection, plays: Sequence[tuple[int, Play]]) -> None:
    """Write what was played in games, given by their numbers."""
    kept = [
        {"number": number, "actions": play.actions, "placements": play.placements}
        for number, play in plays
    ]
    if kept:
        connection.execute(insert(GAME_PLAY), kept)
    # In the order of the tables: rows that are near each other are written together.
    positions = sorted(
        (key, number, ply, play.result, action)
        for number, play in plays
        for ply, (key, action) in enumerate(play.steps)
    )
    names = ("key", "number", "ply", "result", "action")
    insert_tuples(connection, GAME_POSITION, names, positions)
    material = sorted((key, number) for number, play in plays for key in play.material)
    insert_tuples(connection, GAME_MATERIAL, ("key", "number"), material)


def remove_play(connection: Connection, number: int, play: Play) -> None:
    """Delete what was played in a game; the keys in `play` say where the rows are."""
    position, material = GAME_POSITION.c, GAME_MATERIAL.c
    keys = {key for key, _ in play.steps}
    for table, column, of, found in (
        (GAME_POSITION, position.key, position.number, keys),
        (GAME_MATERIAL, material.key, material.number, play.material),
    ):
        statement = delete(table).where(column == bindparam("at"), of == number)
        connection.execute(statement, [{"at": key} for key in sorted(found)])
    connection.execute(delete(GAME_PLAY).where(GAME_PLAY.c.number == number))


def count_steps(steps: Steps, number: int, result: int, rating: int, sign: int) -> list[Change]:
    """What a game adds to the sums of its positions if `sign` is 1, or takes from them if -1."""
    return [(key, action, number, result, rating, sign) for key, action in dict.fromkeys(steps)]
