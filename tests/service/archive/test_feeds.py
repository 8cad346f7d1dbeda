"""Feeds whose beginnings have left Redis: everybody reads them as before, from any position."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event
from time import sleep

import pytest
import redis

from service.archive.archive import Archive
from service.archive.directory import FILE, open_directory
from service.archive.errors import DamagedSegment, DirectoryAway
from service.archive.feed_readers import FeedReader, FeedReaders
from service.archive.feed_trimmer import FeedTrimmer
from service.archive.outages import ArchiveAway
from service.archive.tiered import TieredEventLog
from service.log.feed_range import parse_position
from service.log.interface import FEED_START
from service.log.redis_forms import name_feed
from service.log.values import Pointer, StreamId
from service.storage.errors import ObjectMissing, ObjectsAway
from tests.service.archive.support import NEVER, TIMES, trim_all
from tests.service.archive.test_archiving import BadObjects
from tests.service.log.support import GAME, at_once, notes, request

pytestmark = pytest.mark.slow

PLAYERS = ("ann", "ben")


def fill(log: TieredEventLog, count: int = 60) -> None:
    """Append to streams of many partitions, several times to each."""
    for number in range(count):
        stream = StreamId("game", f"f{number % 20}")
        version = number // 20
        log.append(replace(request(notes("x"), version, stream), audience=PLAYERS))


def read_all(log: TieredEventLog) -> dict[int, list[Pointer]]:
    return {p: log.feed(p, limit=1000) for p in range(log.partitions)}


def test_trimmed_feeds_are_what_they_were(log: TieredEventLog) -> None:
    fill(log)
    before, ends = read_all(log), log.feed_positions()
    trimmed = trim_all(log)
    lengths = {p: log.redis.client.xlen(name_feed(p)) for p in range(log.partitions)}
    assert lengths == {p: min(1, len(pointers)) for p, pointers in before.items()}
    assert trimmed == 60 - sum(lengths.values())
    assert read_all(log) == before
    assert log.feed_positions() == ends
    assert log.archive.feeds.directory.count()[0] == trimmed
    assert trim_all(log) == 0


def test_every_position_goes_on_as_before(log: TieredEventLog) -> None:
    fill(log)
    (partition, pointers) = max(read_all(log).items(), key=lambda item: len(item[1]))
    assert len(pointers) >= 4
    trim_all(log)
    positions = [FEED_START, *(pointer.position for pointer in pointers)]
    for done, position in enumerate(positions):
        for limit in (1, 2, 100):
            assert log.feed(partition, position, limit) == pointers[done:][:limit]
    assert log.feed_each({partition: pointers[0].position}, 2) == {partition: pointers[1:3]}
    came = log.wait({partition: pointers[1].position}, 5)
    assert came == [(partition, pointer) for pointer in pointers[2:]]
    assert log.wait({partition: pointers[-2].position}, 5) == [(partition, pointers[-1])]
    assert log.wait({partition: pointers[-1].position}, 0.01) == []


def test_only_what_is_old_and_read_is_trimmed(log: TieredEventLog) -> None:
    fill(log)
    (partition, pointers) = max(read_all(log).items(), key=lambda item: len(item[1]))
    trimmer = FeedTrimmer(log.tier, log.archive, lambda: next(TIMES), least=1)
    assert list(trimmer.run({partition: pointers[1].position}, 0)) == []
    assert list(trimmer.run({}, NEVER)) == []
    (done,) = trimmer.run({partition: pointers[1].position}, NEVER)
    assert done.pointers == 2
    assert log.redis.feed(partition) == pointers[2:]
    few = FeedTrimmer(log.tier, log.archive, lambda: next(TIMES), least=len(pointers))
    assert list(few.run(log.feed_positions(), NEVER)) == []
    assert log.feed(partition) == pointers


def test_long_feeds_are_trimmed_in_many_segments(
    log: TieredEventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.archive.feed_trimmer.CHUNK", 7)
    for version in range(100):
        log.append(request(notes("x"), version))
    partition = log.partition(GAME)
    pointers = log.feed(partition)
    assert trim_all(log) == 99
    assert log.feed(partition) == pointers
    assert log.feed(partition, pointers[40].position, 30) == pointers[41:71]


def test_readers_race_the_trimming(log: TieredEventLog) -> None:
    """A reader gets each pointer once while others append and trim."""
    over = Event()
    partition = log.partition(GAME)

    def write() -> None:
        try:
            for version in range(150):
                log.append(request(notes("x"), version))
        finally:
            over.set()

    def trim() -> None:
        while not over.is_set():
            trim_all(log)

    def follow(read: Callable[[str], list[Pointer]]) -> None:
        after, versions = FEED_START, list[int]()
        while len(versions) < 150:
            for pointer in read(after):
                versions.append(pointer.last)
                after = pointer.position
        assert versions == list(range(1, 151))

    at_once(
        [
            write,
            trim,
            lambda: follow(lambda after: log.feed(partition, after, 7)),
            lambda: follow(lambda after: [p for _, p in log.wait({partition: after}, 0.2)]),
        ]
    )


def test_the_directory_of_the_feeds_is_made_again(log: TieredEventLog, tmp_path: Path) -> None:
    fill(log)
    before = read_all(log)
    trim_all(log)
    for end in ("", "-wal", "-shm"):
        (tmp_path / (FILE + end)).unlink(missing_ok=True)
    again = TieredEventLog(log.redis, Archive(log.archive.objects, open_directory(tmp_path, None)))
    with pytest.raises(ArchiveAway, match="--make-directory"):
        read_all(again)
    with pytest.raises(DirectoryAway):
        trim_all(again)
    feeds = again.archive.feeds
    assert feeds.make_directory("0" * 32, lambda done, total: None) == 0
    assert feeds.make_directory(log.feeds.identify_log(), lambda done, total: None) == 1
    again.tier.note_directory(again.archive.directory, anew=True)
    assert read_all(again) == before


@pytest.mark.parametrize("wrong", ["fails", "truncates", "lies", "loses"])
def test_an_object_store_that_fails_loses_no_pointer(
    log: TieredEventLog, tmp_path: Path, wrong: str
) -> None:
    objects = BadObjects((tmp_path / "bad").as_uri())
    log = TieredEventLog(log.redis, Archive(objects, log.archive.directory))
    fill(log)
    before = read_all(log)
    objects.wrong = wrong
    with pytest.raises((ObjectsAway, ObjectMissing, DamagedSegment)):
        trim_all(log)
    assert read_all(log) == before
    objects.wrong = ""
    trim_all(log)
    other = TieredEventLog(log.redis, Archive(objects, log.archive.directory))
    objects.wrong = wrong
    with pytest.raises(ArchiveAway):
        read_all(other)
    with pytest.raises(ArchiveAway):
        other.wait(dict.fromkeys(before, FEED_START), 5)
    # A reader that has come this far needs no archive.
    assert other.wait(other.feed_positions(), 0.01) == []
    objects.wrong = ""
    assert read_all(other) == before


def test_a_directory_of_another_log_trims_nothing(log: TieredEventLog) -> None:
    fill(log)
    before = read_all(log)
    trim_all(log)
    feeds = {p: log.redis.feed(p) for p in before}
    log.redis.client.flushall()
    fill(log)
    again = TieredEventLog(log.redis, log.archive)
    with pytest.raises(DirectoryAway, match="emptied"):
        trim_all(again)
    assert sum(len(log.redis.feed(p)) for p in feeds) == 60


def test_a_reader_is_behind_since_the_oldest_pointer_that_it_has_not_read(
    log: TieredEventLog,
) -> None:
    log.append(request(notes("x"), 0, GAME))
    partition = log.partition(GAME)
    (first,) = log.feed(partition)
    beginner = FeedReader("beginner", 5, "here", {})
    # It has not read the only pointer yet, of a feed that was empty until now.
    assert beginner.find_lag(log, log.feed_positions()) == 1
    for version in (1, 2):
        sleep(0.01)
        log.append(request(notes("y"), version, GAME))
    ends = log.feed_positions()
    one, two, three = (parse_position(p.position)[0] for p in log.feed(partition))
    assert beginner.find_lag(log, ends) == three - one
    slow = FeedReader("slow", 4, "there", {partition: first.position})
    assert slow.find_lag(log, ends) == three - two
    assert FeedReader("fast", 5, "here", ends).find_lag(log, ends) == 0


def test_the_slowest_reader_says_what_may_go(store: redis.Redis) -> None:
    readers = FeedReaders(store)
    assert readers.find_read(2) == {}
    fast = FeedReader("fast", 5, "here", {0: "10-0", 1: "9-1"})
    slow = FeedReader("slow", 4, "there", {0: "9-0"})
    readers.note(fast)
    assert readers.find_read(2) == {0: "10-0", 1: "9-1"}
    readers.note(slow)
    assert readers.list() == [fast, slow]
    assert readers.find_read(2) == {0: "9-0", 1: FEED_START}
    assert readers.forget("slow")
    assert not readers.forget("slow")
    assert readers.list() == [fast]


def test_a_damaged_feed_segment_names_itself(log: TieredEventLog, tmp_path: Path) -> None:
    fill(log)
    trim_all(log)
    (segment,) = (tmp_path / "objects" / "feeds").glob("*/*")
    content = bytearray(segment.read_bytes())
    content[-20] ^= 1
    segment.write_bytes(content)
    with pytest.raises(ArchiveAway, match=r"feeds/.*damaged"):
        read_all(log)
    with pytest.raises((DamagedSegment, ObjectsAway)):
        log.archive.feeds.make_directory(log.feeds.identify_log(), lambda done, total: None)
