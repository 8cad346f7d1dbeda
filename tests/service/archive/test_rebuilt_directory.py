"""The archive's directory, built again: how much memory and disk that takes."""

from __future__ import annotations

import sqlite3
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import fakeredis
import pytest

from service.archive.archive import Archive
from service.archive.directory import SegmentRow
from service.archive.frozen_stream import FrozenStream
from service.archive.older_streams import open_older_streams
from service.archive.redis_feeds import RedisFeeds
from service.archive.segment import Entry
from service.log.chain import link_stored
from service.log.redis import RedisEventLog
from service.log.values import GENESIS, StoredEvent, StreamId
from service.storage.capacity import describe_full_storage
from tests.service.archive.support import open_archive, rebuild_directory
from tests.service.log.support import CODEC

SEGMENT = 300
"""The number of streams of a segment."""


def freeze_streams(start: int) -> Iterator[FrozenStream]:
    """Streams of one event, numbered from `start`, for a segment."""
    for number in range(start, start + SEGMENT):
        stream = StreamId("game", f"{number:016}")
        event = StoredEvent(1, "noted/1", "{}", 1000, "p1", GENESIS)
        yield FrozenStream(stream, [event], link_stored(stream, event))


def measure_rebuild(log: RedisEventLog, archive: Archive) -> int:
    """The most bytes that building the directory takes at any time."""
    tracemalloc.start()
    try:
        rebuild_directory(log, archive)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.parametrize("owner", ["this log", "another log"])
def test_memory_does_not_grow_with_the_streams(tmp_path: Path, owner: str) -> None:
    log = RedisEventLog(fakeredis.FakeRedis(), CODEC)
    name = RedisFeeds(log).identify_log() if owner == "this log" else "0" * 32

    def measure(segments: int) -> int:
        archive = open_archive(tmp_path / str(segments))
        for number in range(segments):
            archive.put(list(freeze_streams(SEGMENT * number)), name, 1000)
        return measure_rebuild(log, archive)

    measure(1)  # loads what is loaded once
    few, many = 5, 20
    growth = measure(many) - measure(few)
    # An entry of the directory takes about 500 bytes.
    assert growth / (SEGMENT * (many - few)) < 200


def test_temporary_files_without_room_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def connect_small(*args: Any, **kwargs: Any) -> sqlite3.Connection:
        database: sqlite3.Connection = connect(*args, **kwargs)
        database.execute("PRAGMA max_page_count = 3")
        return database

    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", connect_small)
    entries = [
        Entry(frozen.stream, 0, 1, frozen.version, frozen.head, sealed=False)
        for frozen in freeze_streams(0)
    ]
    full = pytest.raises(OSError, match="temporary files: database or disk is full")
    with full as caught, open_older_streams() as older:
        older.add(SegmentRow("0" * 64, 1, 1, 1000), entries)
    assert describe_full_storage(caught.value) is not None
