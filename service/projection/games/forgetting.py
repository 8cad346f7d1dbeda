"""Removes all rows of games, as if these had never existed: the log has lost their events."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, delete, select

from service.projection.challenges import remove_challenges
from service.projection.checkpoints import Overtaken
from service.projection.data_version import advance_data_version
from service.projection.database.chunks import is_among, select_rows_in
from service.projection.database.tables import (
    GAME,
    GAME_MATERIAL,
    GAME_PLAY,
    GAME_POSITION,
    GAME_TAG,
    HELD_GAME,
    OPEN_GAME,
    SEAT,
)
from service.projection.dead_letters import remove_letters
from service.projection.games.continuations import sum_up
from service.projection.games.openings import Classifier
from service.projection.games.play import RESULTS, Play
from service.projection.games.plays import count_steps, remove_play
from service.projection.ratings import remove_rated

_NAMED: Final = ("id", "number", "version", "head", "result", "rating")


@dataclass(frozen=True, slots=True)
class KnownGames:
    """Games as the tables have them: the rows of those that are shown, and of those held back.

    `plays` are what was played in the finished ones, by number.
    """

    ids: Sequence[str]
    shown: Sequence[Row[Any]]
    held: Sequence[Row[Any]]
    plays: Mapping[int, Play]


def read_known_games(connection: Connection, ids: Sequence[str]) -> KnownGames:
    """What the tables have of games, for `forget_games`.

    Positions are found by their keys, and the log that would give these is lost. So where one of
    the games is finished, all rows of positions are searched.
    """
    shown, held = _read_rows(connection, ids)
    results = {row.number: row.result for row in (*shown, *held)}
    chosen = select(GAME_PLAY.c.number)
    played = select_rows_in(connection, chosen, GAME_PLAY.c.number, results)
    finished = {row.number: RESULTS[results[row.number]] for row in played}
    return KnownGames(ids, shown, held, _read_plays(connection, finished))


def forget_games(connection: Connection, known: KnownGames, classifier: Classifier) -> None:
    """Delete all rows of these games; raises Overtaken where others have written them since."""
    if _read_rows(connection, known.ids) != (known.shown, known.held):
        raise Overtaken
    numbers = [row.number for row in (*known.shown, *known.held)]
    # Tags are not ordered by number, but are few: their table is searched.
    for column in (SEAT.c.number, OPEN_GAME.c.number, GAME_TAG.c.number):
        connection.execute(delete(column.table).where(is_among(connection, column, numbers)))
    for number, removed in known.plays.items():
        remove_play(connection, number, removed)
    classifier.remove(connection, numbers)
    changes = [
        change
        for row in known.shown
        if (play := known.plays.get(row.number)) is not None
        for change in count_steps(play.steps, row.number, play.result, row.rating, -1)
    ]
    sum_up(connection, changes)
    for column in (GAME.c.number, HELD_GAME.c.number):
        connection.execute(delete(column.table).where(is_among(connection, column, numbers)))
    remove_letters(connection, known.ids)
    remove_challenges(connection, known.ids)
    remove_rated(connection, known.ids)
    advance_data_version(connection)


def _read_rows(
    connection: Connection, ids: Sequence[str]
) -> tuple[Sequence[Row[Any]], Sequence[Row[Any]]]:
    """The rows of the games that are shown, and of those held back, in the order of numbers."""
    shown, held = (
        select_rows_in(
            connection,
            select(*(table.c[name] for name in _NAMED)).order_by(table.c.number),
            table.c.id,
            ids,
        )
        for table in (GAME, HELD_GAME)
    )
    return shown, held


def _read_plays(connection: Connection, results: Mapping[int, int]) -> dict[int, Play]:
    """What was played in the finished games, by number; `results` has their results."""
    if not results:
        return {}
    at, of = GAME_POSITION.c, GAME_MATERIAL.c
    steps: dict[int, list[tuple[int, int, str]]] = defaultdict(list)
    chosen = select(at.number, at.ply, at.key, at.action)
    for row in select_rows_in(connection, chosen, at.number, results):
        steps[row.number].append((row.ply, row.key, row.action))
    material: dict[int, set[int]] = defaultdict(set)
    for row in select_rows_in(connection, select(of.number, of.key), of.number, results):
        material[row.number].add(row.key)
    return {
        number: Play(
            result=result,
            steps=[(key, action) for _, key, action in sorted(steps[number])],
            material=frozenset(material[number]),
            actions="",
            placements=b"",
        )
        for number, result in results.items()
    }
