"""Withdrawals of puzzles: a row for each puzzle that ever was, and the lists without them."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import redis
from sqlalchemy import Connection, delete, insert

from service.log.interface import EventLog
from service.log.values import Pointer
from service.projection.database.chunks import is_among
from service.projection.database.tables import PUZZLE_WITHDRAWAL
from service.projection.puzzles.puzzles import settle_puzzles
from service.projection.short_heads import find_differing, read_heads, shorten_head
from service.projection.updates import Change
from service.puzzles.withdrawals.state import KIND, fold, stream_of

log = logging.getLogger(__name__)


class WithdrawalProjection:
    """Writes which puzzles are withdrawn."""

    kind: Final = KIND

    def __init__(self, events: EventLog) -> None:
        self.events = events

    def prepare(self, pointers: Sequence[Pointer]) -> Change:
        """Read the withdrawals that these pointers name; what cannot be read is left out."""
        return self.mend((), list(dict.fromkeys(pointer.stream.id for pointer in pointers)))

    def find_stale(self, connection: Connection, current: Mapping[str, int]) -> set[str]:
        """The puzzles whose rows were made from other events than the log has."""
        return find_differing(read_heads(connection, PUZZLE_WITHDRAWAL), current)

    def mend(self, stale: Sequence[str], found: Sequence[str]) -> Change:
        """Write the rows of the puzzles in `found` anew, and delete those of other stale ones."""
        rows = [row for puzzle in found if (row := self._read(puzzle)) is not None]

        def change(connection: Connection) -> None:
            write_withdrawals(connection, [*stale, *(row["id"] for row in rows)], rows)

        return change

    def _read(self, puzzle: str) -> dict[str, Any] | None:
        """The row of a puzzle; None if it was never withdrawn, or its events cannot be read."""
        try:
            state = fold(puzzle, self.events.read(stream_of(puzzle)))
        except redis.RedisError:
            raise
        except Exception:
            log.exception("the withdrawal of puzzle %s cannot be read", puzzle)
            return None
        if state is None:
            return None
        return {
            "id": puzzle,
            "variant": state.variant,
            "reason": state.reason,
            "in_force": state.in_force,
            "at": state.updated_at,
            "version": state.version,
            "head": shorten_head(state.head),
        }


def write_withdrawals(
    connection: Connection, puzzles: Iterable[str], rows: Sequence[Mapping[str, Any]]
) -> None:
    """Give these puzzles the rows in `rows`; the others have none."""
    ids = list(dict.fromkeys(puzzles))
    among = is_among(connection, PUZZLE_WITHDRAWAL.c.id, ids)
    connection.execute(delete(PUZZLE_WITHDRAWAL).where(among))
    if rows:
        connection.execute(insert(PUZZLE_WITHDRAWAL), rows)
    settle_puzzles(connection, ids)
