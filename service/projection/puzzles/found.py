"""Puzzles found in games: one row for each game and puzzle, and the list of puzzles with them."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import redis
from sqlalchemy import Connection, delete, insert, select

from service.log.interface import EventLog
from service.log.values import Pointer
from service.projection.database.chunks import is_among, select_in
from service.projection.database.tables import FOUND_PUZZLE, SEARCHED_GAME
from service.projection.puzzles.puzzles import describe_puzzle, settle_puzzles
from service.projection.short_heads import find_differing, read_heads, shorten_head
from service.projection.updates import Change
from service.puzzles.found.events import PuzzlesFound
from service.puzzles.found.state import KIND, read_puzzles, stream_of

log = logging.getLogger(__name__)


class FoundPuzzleProjection:
    """Writes the puzzles of games that were searched."""

    kind: Final = KIND

    def __init__(self, events: EventLog) -> None:
        self.events = events

    def prepare(self, pointers: Sequence[Pointer]) -> Change:
        """Read all that was found in the games of these pointers; what cannot be read is left out.

        A game has few such events, so its rows are always written anew.
        """
        return self.mend((), list(dict.fromkeys(pointer.stream.id for pointer in pointers)))

    def find_stale(self, connection: Connection, current: Mapping[str, int]) -> set[str]:
        """The games whose rows were made from other events than the log has."""
        return find_differing(read_heads(connection, SEARCHED_GAME), current)

    def mend(self, stale: Sequence[str], found: Sequence[str]) -> Change:
        """Write the puzzles of the games in `found` anew, and delete those of other stale games."""
        rows = [(game, each) for game in found if (each := self._read(game)) is not None]

        def change(connection: Connection) -> None:
            write_found(connection, [*stale, *(game for game, _ in rows)], dict(rows))

        return change

    def _read(self, game: str) -> GameRows | None:
        """The rows of a game; None where there are none, or it cannot be read."""
        try:
            return read_rows(self.events, game)
        except redis.RedisError:
            raise
        except Exception:
            log.exception("the puzzles of game %s cannot be read", game)
            return None


GameRows = tuple[dict[str, Any], list[dict[str, Any]]]
"""The row of a game that was searched, and those of its puzzles."""


def read_rows(events: EventLog, game: str) -> GameRows | None:
    """The rows of a game as the log has it; None where it was not searched."""
    recorded = events.read(stream_of(game))
    if not recorded:
        return None
    puzzles: dict[str, dict[str, Any]] = {}
    for entry in recorded:
        if not isinstance(entry.event, PuzzlesFound):
            raise TypeError(f"{type(entry.event).__name__} has no effect here")
        for one in read_puzzles(entry.event):
            row = describe_puzzle(one.puzzle)
            id = row.pop("id")
            place = {"puzzle": id, "game": game, "ply": one.ply, "at": entry.at}
            puzzles.setdefault(id, place | row)
    last = recorded[-1]
    searched = {"id": game, "version": last.version, "head": shorten_head(last.hash)}
    return searched, list(puzzles.values())


def write_found(connection: Connection, games: Iterable[str], rows: Mapping[str, GameRows]) -> None:
    """Give these games the rows in `rows`; the others have none."""
    ids = list(dict.fromkeys(games))
    changed = set(select_in(connection, select(FOUND_PUZZLE.c.puzzle), FOUND_PUZZLE.c.game, ids))
    for column in (FOUND_PUZZLE.c.game, SEARCHED_GAME.c.id):
        connection.execute(delete(column.table).where(is_among(connection, column, ids)))
    puzzles = [row for _, of_game in rows.values() for row in of_game]
    if rows:
        connection.execute(insert(SEARCHED_GAME), [searched for searched, _ in rows.values()])
    if puzzles:
        connection.execute(insert(FOUND_PUZZLE), puzzles)
    settle_puzzles(connection, changed | {row["puzzle"] for row in puzzles})
