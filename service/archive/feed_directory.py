"""Where the trimmed parts of the partitions' feeds are: rows of the archive's directory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from sqlalchemy import Connection, Row, func, select, tuple_

from service.archive.directory import Directory
from service.archive.feed_segment import FeedEntry
from service.archive.tables import FEED, find_insert
from service.archive.unnamed import FEEDS, begin_naming
from service.log.feed_range import parse_position

LAST: Final = (FEED.c.last_at, FEED.c.last_number)


@dataclass(frozen=True, slots=True)
class FeedPlace:
    """Where a chunk of a feed is: the digest of its segment, and its entry there."""

    segment: str
    entry: FeedEntry


class FeedDirectory:
    """The chunks of the feeds in a directory. Every method raises DirectoryAway.

    Each chunk follows one that was noted before, so that there is no gap between them. Chunks
    overlap if a process had written one and died: the pointers are the same.
    """

    def __init__(self, directory: Directory) -> None:
        self.directory = directory

    def add(self, segment: str, made_at: int, entries: Sequence[FeedEntry]) -> None:
        """Note the chunks of a segment, except those that are noted already.

        Raises DamagedSegment for a segment that was removed because nothing referred to it.
        """
        rows = [_row_of(segment, made_at, entry) for entry in entries]
        self.directory.call(partial(_add, segment, rows), writing=True)

    def find(self, after: Mapping[int, str]) -> dict[int, FeedPlace]:
        """By partition, the chunk that has the first pointer beyond each of these positions."""
        return self.directory.call(partial(_find, after))

    def find_ends(self, partitions: int) -> dict[int, str]:
        """The newest position noted in each partition that has one."""
        return self.directory.call(partial(_find_ends, partitions))

    def list_until(self, partition: int, mark: str) -> list[FeedPlace]:
        """The chunks of a partition up to a position, the oldest first."""
        before = tuple_(*LAST) <= tuple_(*parse_position(mark))
        query = select(FEED).where(FEED.c.partition == partition, before).order_by(*LAST)
        return self.directory.call(lambda c: [_place_of(row) for row in c.execute(query)])

    def count(self) -> tuple[int, int]:
        """How many pointers there are, and how many bytes they take."""
        query = select(
            func.coalesce(func.sum(FEED.c.pointers), 0), func.coalesce(func.sum(FEED.c.length), 0)
        )
        pointers, size = self.directory.call(lambda c: c.execute(query).one())
        return int(pointers), int(size)


def _row_of(segment: str, made_at: int, entry: FeedEntry) -> Mapping[str, Any]:
    last_at, last_number = parse_position(entry.last)
    return {
        "partition": entry.partition,
        "last_at": last_at,
        "last_number": last_number,
        "after": entry.after,
        "pointers": entry.pointers,
        "segment": segment,
        "start": entry.start,
        "length": entry.length,
        "made_at": made_at,
    }


def _add(segment: str, rows: Sequence[Mapping[str, Any]], connection: Connection) -> None:
    begin_naming(FEEDS, segment, connection)
    connection.execute(find_insert(connection)(FEED).on_conflict_do_nothing(), rows)


def _find(after: Mapping[int, str], connection: Connection) -> dict[int, FeedPlace]:
    found = {}
    for partition, position in after.items():
        beyond = tuple_(*LAST) > tuple_(*parse_position(position))
        query = select(FEED).where(FEED.c.partition == partition, beyond)
        row = connection.execute(query.order_by(*LAST).limit(1)).first()
        if row is not None:
            found[partition] = _place_of(row)
    return found


def _find_ends(partitions: int, connection: Connection) -> dict[int, str]:
    found = {}
    for partition in range(partitions):
        query = select(*LAST).where(FEED.c.partition == partition)
        newest = query.order_by(*(column.desc() for column in LAST)).limit(1)
        if row := connection.execute(newest).first():
            found[partition] = f"{row.last_at}-{row.last_number}"
    return found


def _place_of(row: Row[Any]) -> FeedPlace:
    last = f"{row.last_at}-{row.last_number}"
    entry = FeedEntry(row.partition, row.after, last, row.pointers, row.start, row.length)
    return FeedPlace(row.segment, entry)
