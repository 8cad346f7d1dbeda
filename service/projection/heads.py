"""Whether the lists know more than the log, as after a failover that lost the log's last events.

A replica that takes a master's place may lack the last events that the master had, although they
were acknowledged and are in the lists. Later events then have the same versions, and would never be
listed. So the lists are mended (`service.projection.mending`).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from sqlalchemy import Connection

from service.log.feed_range import parse_position
from service.log.interface import FEED_START, EventLog
from service.projection.checkpoints import Positions, read_checkpoints, write_checkpoints
from service.projection.database.database import Database
from service.projection.errors import LogBehind

BEYOND: Final = "9999999999999-0"
"""A position that no log reaches: a partition at it must be mended, whichever process looks."""
_MOST: Final = 2**64 - 1


def find_ahead(events: EventLog, known: Positions) -> list[int]:
    """The partitions whose feed has lost the pointer at the known position."""
    after = {p: _precede(position) for p, position in known.items() if position != FEED_START}
    found = events.feed_each(after, 1)
    missing = [p for p in after if [pointer.position for pointer in found[p]] != [known[p]]]
    if not missing:
        return []
    heads = events.feed_positions()
    first = events.feed_each(dict.fromkeys(missing, FEED_START), 1)
    return [
        p
        for p in missing
        if _is_before(heads.get(p, FEED_START), known[p])
        # A feed from which everything up to there was removed has lost nothing.
        or (first[p] and _is_before(first[p][0].position, known[p]))
    ]


def check_heads(events: EventLog, database: Database) -> None:
    """Raise LogBehind where the lists know what the log has lost."""
    if ahead := find_ahead(events, database.read(read_checkpoints)):
        raise LogBehind(sorted(ahead))


def note_lost(database: Database, partitions: Collection[int]) -> None:
    """Note that partitions must be mended, so that whichever process comes first does it."""

    def write(connection: Connection) -> None:
        write_checkpoints(connection, dict.fromkeys(partitions, BEYOND))

    database.write(write)


def _precede(position: str) -> str:
    """The position just before another."""
    at, sequence = parse_position(position)
    return f"{at}-{sequence - 1}" if sequence else f"{at - 1}-{_MOST}"


def _is_before(one: str, other: str) -> bool:
    return parse_position(one) < parse_position(other)
