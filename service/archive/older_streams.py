"""The streams of segments that may be another log's: of each, the newest version that is known.

They are in a temporary file, since there may be millions.
"""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import groupby
from typing import Final

from service.archive.directory import SegmentRow
from service.archive.segment import Entry
from service.log.values import Pointer, StreamId

PAGE: Final = 500
"""The number of streams read together."""

_TABLE: Final = """
PRAGMA journal_mode = OFF;
CREATE TABLE entry (
    kind TEXT, id TEXT, segment INTEGER, start INTEGER, length INTEGER, version INTEGER, head BLOB,
    sealed INTEGER, newest INTEGER,
    PRIMARY KEY (kind, id, segment, start)
) WITHOUT ROWID
"""


class OlderStreams:
    """Entries of segments, by stream. Every method raises sqlite3.OperationalError."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._segments: list[SegmentRow] = []
        database.executescript(_TABLE)

    def add(self, segment: SegmentRow, entries: Iterable[Entry]) -> None:
        """Add a segment's entries, for whose streams no version is known."""
        number = len(self._segments)
        self._segments.append(segment)
        rows = [_write_row(number, entry) for entry in entries]
        self._database.executemany("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)", rows)

    def read_pages(self) -> Iterator[list[StreamId]]:
        """Yield all streams, a page at a time; those of pages read before may be dropped."""
        last = ("", "")
        beyond = "FROM entry WHERE (kind, id) > (?, ?) ORDER BY kind, id LIMIT ?"
        while rows := self._database.execute(
            f"SELECT DISTINCT kind, id {beyond}", (*last, PAGE)
        ).fetchall():
            last = rows[-1]
            yield [StreamId(*row) for row in rows]

    def drop(self, streams: Iterable[StreamId]) -> None:
        """Remove all entries of these streams."""
        rows = [(stream.kind, stream.id) for stream in streams]
        self._database.executemany("DELETE FROM entry WHERE kind = ? AND id = ?", rows)

    def note_versions(self, pointers: Iterable[Pointer]) -> None:
        """Note that these versions of streams were appended; other streams are ignored."""
        rows = [(p.last, p.stream.kind, p.stream.id) for p in pointers]
        self._database.executemany(
            "UPDATE entry SET newest = max(newest, ?) WHERE kind = ? AND id = ?", rows
        )

    def read_unchanged(self) -> Iterator[tuple[SegmentRow, Sequence[Entry]]]:
        """Yield each segment with those of its entries that have their stream's newest version."""
        found = self._database.execute(
            "SELECT segment, kind, id, start, length, version, head, sealed FROM entry"
            " WHERE version = newest ORDER BY segment, start"
        )
        for number, rows in groupby(found, lambda row: int(row[0])):
            entries = [
                Entry(StreamId(kind, id), start, length, version, head.hex(), bool(sealed))
                for _, kind, id, start, length, version, head, sealed in rows
            ]
            yield self._segments[number], entries


@contextmanager
def open_older_streams() -> Iterator[OlderStreams]:
    """No streams yet, in a file that disappears with the context.

    Raises OSError if the disk of temporary files has no room or cannot be used.
    """
    try:
        # The empty name stands for a temporary file.
        with closing(sqlite3.connect("", isolation_level=None)) as database:
            yield OlderStreams(database)
    except sqlite3.OperationalError as error:
        is_full = error.sqlite_errorcode == sqlite3.SQLITE_FULL
        code = errno.ENOSPC if is_full else errno.EIO
        raise OSError(code, f"the folder of temporary files: {error}") from error


def _write_row(segment: int, entry: Entry) -> tuple[object, ...]:
    stream, place, head = entry.stream, (entry.start, entry.length), bytes.fromhex(entry.head)
    return (stream.kind, stream.id, segment, *place, entry.version, head, entry.sealed)
