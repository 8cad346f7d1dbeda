"""Checkpoints: the position up to which each partition's feed is projected."""

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

_SET: Final = (
    update(CHECKPOINT)
    .where(CHECKPOINT.c.partition == bindparam("at"))
    .values(position=bindparam("upto"))
)
_MOVE: Final = _SET.where(CHECKPOINT.c.position == bindparam("from"))


class Overtaken(Exception):
    """Another process has projected this partition in the meantime, or may have."""


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
        connection.execute(_SET, changed)
    if new:
        connection.execute(insert(CHECKPOINT), new)


def check_checkpoints(connection: Connection, expected: Positions) -> None:
    """Raise Overtaken unless these partitions are where they are expected to be."""
    known = read_checkpoints(connection)
    if any(known.get(p, FEED_START) != position for p, position in expected.items()):
        raise Overtaken


def move_checkpoints(connection: Connection, before: Positions, after: Positions) -> None:
    """Move the checkpoints of these partitions from `before` to `after`; raises Overtaken."""
    moved = [
        {"at": p, "from": before[p], "upto": position}
        for p, position in sorted(after.items())
        if position != before[p]
    ]
    known = read_checkpoints(connection)
    new = [{"partition": one["at"], "position": FEED_START} for one in moved]
    if new := [row for row in new if row["partition"] not in known]:
        connection.execute(insert(CHECKPOINT), new)
    if moved and connection.execute(_MOVE, moved).rowcount != len(moved):
        raise Overtaken


class Checkpoints:
    """The position in each partition's feed that the projector has reached."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def load(self, partitions: int) -> dict[int, str]:
        """Return the position reached in every partition, by default the start of its feed."""
        known = self.database.read(read_checkpoints)
        return {p: known.get(p, FEED_START) for p in range(partitions)}

    def count_behind(self, log: EventLog) -> int:
        """Count the pointers that are not projected yet, at most 500 in each partition."""
        return sum(self.count_behind_each(log).values())

    def count_behind_each(self, log: EventLog) -> dict[int, int]:
        """Count the pointers of each partition that are not projected yet, at most 500 each."""
        known = self.load(log.partitions)
        return {
            partition: len(log.feed(partition, known[partition]))
            if parse_position(head) > parse_position(known[partition])
            else 0
            for partition, head in log.feed_positions().items()
        }

    def wait_until(self, wanted: Positions, timeout: float) -> bool:
        """Wait until each partition is projected up to `wanted`; False after `timeout` seconds.

        To read your own write, pass what `EventLog.feed_positions()` returned after the write.
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
