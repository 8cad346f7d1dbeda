"""Objects of the archive that nothing names any more: when they are removed, and when never."""

from __future__ import annotations

from pathlib import Path

import pytest

from service.archive.archiver import Archiver
from service.archive.collector import BACKUP_LOCK, OWNER, Collected, Collector
from service.archive.directory import FILE
from service.archive.errors import DamagedSegment, DirectoryAway, ObjectsOfAnother
from service.archive.redis_tier import LOCK
from service.archive.tiered import TieredEventLog
from service.log.values import StreamId
from tests.service.archive.killed import STREAMS, play_all, reopen, run_killed, see_all
from tests.service.archive.support import archive_all, make_directory, open_archive, trim_all
from tests.service.archive.test_archiving import play
from tests.service.archive.test_feeds import read_all
from tests.service.log.support import notes, request
from tests.service.redis_server import RedisServer

pytestmark = pytest.mark.slow


def collect(log: TieredEventLog, at: int = 0, grace: int = 0) -> int:
    """Collect once, at this time; return how many objects were removed."""
    return Collector(log.tier, log.archive, lambda: at, grace).run().objects


def objects(folder: Path) -> set[str]:
    """The names of the archive's objects."""
    found = (folder / "objects").glob("*/*/*")
    return {str(file.relative_to(folder / "objects")) for file in found}


def change_all(log: TieredEventLog, version: int = 5) -> None:
    """Put every game back by an append, and archive it again."""
    for stream in STREAMS:
        log.append(request(notes("more"), version, stream))
    archive_all(log)


@pytest.fixture
def log(redis_server: RedisServer, tmp_path: Path) -> TieredEventLog:
    """A log with three archived games."""
    log = play_all(redis_server, tmp_path)
    archive_all(log)
    return log


def test_a_superseded_segment_goes_after_a_grace_time(log: TieredEventLog, tmp_path: Path) -> None:
    first = objects(tmp_path)
    assert len(first) == 2
    assert collect(log) == 0
    change_all(log)
    before = see_all(log)
    assert collect(log, at=100, grace=10) == 0
    assert collect(log, at=109, grace=10) == 0
    assert objects(tmp_path) > first
    assert collect(log, at=110, grace=10) == 2
    assert not objects(tmp_path) & first
    assert collect(log, at=200) == 0
    again = TieredEventLog(log.redis, open_archive(tmp_path))
    assert see_all(again) == before
    assert log.archive.directory.count()[:2] == (3, 1)
    # A directory rebuilt from the remaining objects knows as much.
    log.archive.directory.clear()
    assert make_directory(log) == 1
    assert see_all(again) == before


def test_a_segment_stays_as_long_as_one_game_is_there(log: TieredEventLog, tmp_path: Path) -> None:
    first = objects(tmp_path)
    log.append(request(notes("more"), 5, STREAMS[0]))
    # Back in Redis, the game keeps its place in the archive.
    assert collect(log) == 0
    archive_all(log)
    assert collect(log) == 0
    for stream in STREAMS[1:]:
        log.append(request(notes("more"), 5, stream))
    assert collect(log) == 0
    archive_all(log)
    assert collect(log) == 2
    assert not objects(tmp_path) & first


@pytest.mark.parametrize("step", ["attributes:1", "segment:1", "read back:1"])
def test_what_a_killed_archiver_left_goes(
    redis_server: RedisServer, tmp_path: Path, step: str
) -> None:
    log = play_all(redis_server, tmp_path)
    before = see_all(log)
    run_killed(redis_server, tmp_path, step, "archive")
    left = objects(tmp_path)
    assert left
    log = reopen(redis_server, tmp_path)
    archive_all(log)
    assert collect(log) == len(left)
    assert not objects(tmp_path) & left
    assert see_all(log) == before


@pytest.mark.parametrize("step", ["segment:1", "read back:1"])
def test_what_a_killed_trimmer_left_goes(
    redis_server: RedisServer, tmp_path: Path, step: str
) -> None:
    log = play_all(redis_server, tmp_path)
    run_killed(redis_server, tmp_path, step, "trim")
    (left,) = objects(tmp_path)
    pointers = read_all(log)
    log.append(request(notes("more"), 5, STREAMS[0]))
    trim_all(log)
    assert collect(log) == 1
    assert left not in objects(tmp_path)
    assert [found[:5] for found in read_all(log).values() if found] == [
        found[:5] for found in pointers.values() if found
    ]


@pytest.mark.parametrize(
    "step", ["listed:1", "condemned:1", "collected:1", "collected:2", "collected:3"]
)
def test_a_kill_while_objects_are_removed_loses_nothing(
    log: TieredEventLog, redis_server: RedisServer, tmp_path: Path, step: str
) -> None:
    change_all(log)
    superseded = objects(tmp_path)
    change_all(log, 6)
    before = see_all(log)
    run_killed(redis_server, tmp_path, step, "collect")
    log = reopen(redis_server, tmp_path)
    assert see_all(log) == before
    # The same holds after the directory is rebuilt from what is left.
    make_directory(log)
    assert see_all(log) == before
    collect(log)
    assert not objects(tmp_path) & superseded
    assert len(objects(tmp_path)) == 2
    assert see_all(log) == before


def test_an_archiver_that_stood_still_notes_nothing_that_was_removed(
    redis_server: RedisServer, tmp_path: Path
) -> None:
    """It loses its lock between writing a segment and noting it, so noting fails."""
    log = reopen(redis_server, tmp_path)
    play(log, StreamId("game", "first"))
    archive_all(log)
    for stream in STREAMS:
        play(log, stream)
    before = see_all(log)

    def stand_still(done: str) -> None:
        if done == "read back":
            redis_server.client().delete(LOCK)
            assert collect(log) == 2

    archiver = Archiver(log.tier, log.archive, lambda: 1000, stand_still)
    with pytest.raises(DamagedSegment, match="nothing had named it"):
        list(archiver.run(STREAMS))
    assert sorted(log.redis.streams("game"), key=str) == STREAMS
    assert see_all(log) == before
    assert archive_all(log) == 3
    assert collect(log) == 0
    assert see_all(log) == before


def test_nothing_goes_while_a_backup_copies(log: TieredEventLog) -> None:
    change_all(log)
    log.redis.client.set(BACKUP_LOCK, "somebody")
    assert collect(log) == 0
    log.redis.client.delete(BACKUP_LOCK)
    assert collect(log) == 2


def test_one_service_removes_objects_of_a_store(log: TieredEventLog, tmp_path: Path) -> None:
    change_all(log)
    (tmp_path / "objects" / OWNER).write_text("another")
    with pytest.raises(ObjectsOfAnother, match="--own-objects"):
        collect(log)
    collector = Collector(log.tier, log.archive, lambda: 0, 0)
    collector.own()
    assert collector.run().objects == 2


def test_nothing_goes_by_a_directory_that_was_lost(
    log: TieredEventLog, redis_server: RedisServer, tmp_path: Path
) -> None:
    before = objects(tmp_path)
    for end in ("", "-wal", "-shm"):
        (tmp_path / (FILE + end)).unlink(missing_ok=True)
    again = reopen(redis_server, tmp_path)
    with pytest.raises(DirectoryAway):
        collect(again)
    # Nor if the store was emptied.
    redis_server.client().flushall()
    again = reopen(redis_server, tmp_path)
    assert Collector(again.tier, again.archive, lambda: 0, 0).run() == Collected()
    assert objects(tmp_path) == before
