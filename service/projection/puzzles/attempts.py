"""Attempts at puzzles: one row for each player and puzzle, to be rated after it is written."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import redis
from sqlalchemy import Connection, bindparam, delete, insert, select, update

from service.log.interface import EventLog
from service.log.values import Pointer, Recorded
from service.projection.database.chunks import is_among, select_rows_in
from service.projection.database.tables import ATTEMPT, ATTEMPT_DUE, SOLVER
from service.projection.puzzles.puzzles import refresh_ratings
from service.projection.short_heads import find_differing, read_heads, shorten_head
from service.projection.updates import Change
from service.puzzles.attempts.events import PuzzleAttempted
from service.puzzles.attempts.state import KIND, stream_of

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Attempts:
    """Some of a player's attempts in the order of the log, up to its end."""

    player: str
    recorded: Sequence[Recorded]


class AttemptProjection:
    """Writes the attempts of players at puzzles."""

    kind: Final = KIND

    def __init__(self, events: EventLog) -> None:
        self.events = events

    def prepare(self, pointers: Sequence[Pointer]) -> Change:
        """Read the attempts that these pointers name; those that cannot be read are left out."""
        first: dict[str, int] = {}
        for pointer in pointers:
            id = pointer.stream.id
            first[id] = min(pointer.first, first.get(id, pointer.first))
        found = self._read(first)
        return lambda connection: write_attempts(connection, found)

    def find_stale(self, connection: Connection, current: Mapping[str, int]) -> set[str]:
        """The players whose rows were made from other events than the log has."""
        return find_differing(read_heads(connection, SOLVER), current)

    def mend(self, stale: Sequence[str], found: Sequence[str]) -> Change:
        """Write the attempts of players in `found` anew, and delete those of other stale ones."""
        read = self._read(dict.fromkeys(found, 1))

        def change(connection: Connection) -> None:
            remove_attempts(connection, stale)
            write_attempts(connection, read)

        return change

    def _read(self, first: Mapping[str, int]) -> list[Attempts]:
        """What each of these players has tried from the given version on."""
        found = []
        for player, version in first.items():
            try:
                found.append(Attempts(player, self.events.read(stream_of(player), version - 1)))
            except redis.RedisError:
                raise
            except Exception:
                log.exception("the attempts of %s cannot be read", player)
        return [one for one in found if one.recorded]


def write_attempts(connection: Connection, found: Iterable[Attempts]) -> None:
    """Write attempts unless newer ones are known, and note that they are to be rated."""
    newest = {one.player: one for one in found}
    rows = select_rows_in(connection, select(SOLVER), SOLVER.c.id, newest)
    known = {row.id: row.version for row in rows}
    attempts = [
        _attempt_row(player, entry)
        for player, one in newest.items()
        for entry in one.recorded
        if entry.version > known.get(player, 0)
    ]
    if not attempts:
        return
    connection.execute(insert(ATTEMPT), attempts)
    solvers = [_solver_row(newest[id]) for id in dict.fromkeys(row["player"] for row in attempts)]
    new = [row for row in solvers if row["id"] not in known]
    before = [row | {"of": row["id"]} for row in solvers if row["id"] in known]
    if new:
        connection.execute(insert(SOLVER), new)
    if before:
        connection.execute(update(SOLVER).where(SOLVER.c.id == bindparam("of")), before)
    mark_due(connection, [(row["variant"], row["at"]) for row in attempts])


def remove_attempts(connection: Connection, players: Sequence[str]) -> None:
    """Delete all attempts of these players; attempts rated after them are rated once more."""
    removed = select_rows_in(connection, select(ATTEMPT), ATTEMPT.c.player, players)
    for column in (ATTEMPT.c.player, SOLVER.c.id):
        connection.execute(delete(column.table).where(is_among(connection, column, players)))
    refresh_ratings(connection, {row.puzzle for row in removed})
    mark_due(connection, [(row.variant, row.at) for row in removed])


def mark_due(connection: Connection, attempts: Iterable[tuple[str, int]]) -> None:
    """Note that attempts, given by variant and time, are to be rated, and all those after them."""
    since: dict[str, int] = {}
    for variant, at in attempts:
        since[variant] = min(at, since.get(variant, at))
    due = ATTEMPT_DUE.c
    for variant, at in since.items():
        before = connection.execute(select(due.since).where(due.variant == variant)).scalar()
        if before is None:
            connection.execute(insert(ATTEMPT_DUE).values(variant=variant, since=at))
        elif at < before:
            changed = update(ATTEMPT_DUE).where(due.variant == variant).values(since=at)
            connection.execute(changed)


def _attempt_row(player: str, entry: Recorded) -> dict[str, Any]:
    event = entry.event
    assert isinstance(event, PuzzleAttempted)
    return {
        "player": player,
        "puzzle": event.puzzle,
        "variant": event.variant,
        "at": entry.at,
        "version": entry.version,
        "solved": event.solved,
        "help": event.help,
        "actions": " ".join(event.actions),
        "estimate": event.estimate,
    }


def _solver_row(attempts: Attempts) -> dict[str, Any]:
    last = attempts.recorded[-1]
    return {"id": attempts.player, "version": last.version, "head": shorten_head(last.hash)}
