"""Checkpoints: up to which position each partition's feed is projected."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final

from sqlalchemy import Connection, bindparam, insert, select, update

from service.log.feed_range import parse_position
from service.log.interface import FEED_START, EventLog
from service.projection.database.database import Database
from service.projection.database.tables import CHECKPOINT

POLL: Final = 0.01
"""Seconds between two reads of the checkpoints while waiting."""

Positions = Mapping[int, str]
"""A position in the feed of each partition."""

_ADVANCE: Final = (
    update(CHECKPOINT)
    .where(CHECKPOINT.c.partition == bindparam("at"))
    .values(position=bindparam("upto"))
)


def read_checkpoints(connection: Connection) -> dict[int, str]:
    """The position reached in every partition that has one."""
    found = connection.execute(select(CHECKPOINT.c.partition, CHECKPOINT.c.position))
    return {row.partition: row.position for row in found}


def write_checkpoints(connection: Connection, reached: Positions) -> None:
    """Store the position reached (inclusive) in each of these partitions."""
    known = read_checkpoints(connection)
    changed = [{"at": p, "upto": reached[p]} for p in sorted(known.keys() & reached.keys())]
    new = [{"partition": p, "position": reached[p]} for p in sorted(reached.keys() - known.keys())]
    if changed:
        connection.execute(_ADVANCE, changed)
    if new:
        connection.execute(insert(CHECKPOINT), new)


class Checkpoints:
    """The position in each partition's feed that the projector has reached."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def load(self, partitions: int) -> dict[int, str]:
        """Return the position reached in every partition, the start of the feed if none was."""
        known = self.database.read(read_checkpoints)
        return {p: known.get(p, FEED_START) for p in range(partitions)}

    def count_behind(self, log: EventLog) -> int:
        """Count the pointers that are not projected yet, up to 500 in each partition."""
        known = self.load(log.partitions)
        return sum(
            len(log.feed(partition, known[partition]))
            for partition, head in log.feed_positions().items()
            if parse_position(head) > parse_position(known[partition])
        )

    def wait_until(self, wanted: Positions, timeout: float) -> bool:
        """Wait until each partition is projected up to `wanted`; False after `timeout` seconds.

        To read your own write, pass `EventLog.feed_positions()` as of after the write.
        """
        end = time.monotonic() + timeout
        partitions = max(wanted, default=-1) + 1
        while True:
            known = self.load(partitions)
            if all(
                parse_position(known[p]) >= parse_position(position)
                for p, position in wanted.items()
            ):
                return True
            if time.monotonic() >= end:
                return False
            time.sleep(POLL)
