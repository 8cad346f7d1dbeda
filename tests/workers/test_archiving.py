"""The duty that archives old games by itself: by age, by memory, one at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Event
from urllib.parse import urlsplit

import pytest

from service.archive.collector import BACKUP_LOCK
from service.archive.errors import DirectoryAway
from service.archive.feed_trimmer import FeedTrimmer
from service.archive.redis_tier import DIRECTORY
from service.archive.status import read_status
from service.composition.reading import note_readers
from service.composition.service import Service, compose, now
from service.environment import MemoryLimit
from service.operations import archive_turn, archiving
from service.operations.archive_turn import DAY, HOUR
from service.storage.errors import ObjectsAway
from service.storage.objects import StoredObject
from tests.service.operations.test_archiving import finish
from tests.service.operations.test_backup import played_game
from tests.service.redis_server import RedisServer
from tests.waiting import PATIENCE, eventually
from tests.workers.processes import worker_processes
from workers.archiving import LEASE, ArchiveDuty

RUNNING = Event()


@pytest.fixture
def games(service: Service) -> list[str]:
    """Three finished games, and one that goes on."""
    # All these tests share a data directory, while each has an empty store.
    service.log.archive.directory.clear()
    made = [played_game(service) for _ in range(4)]
    for id in made[:3]:
        finish(service, id)
    return made


def configured(service: Service, days: int = 0, above: MemoryLimit | None = None) -> Service:
    """The same service with other settings, as the duty's process has it."""
    return compose(replace(service.settings, archive_after_days=days, archive_above=above))


def pass_time(monkeypatch: pytest.MonkeyPatch, milliseconds: int) -> None:
    """Advance the time that the archiving code sees."""
    for module in (archive_turn, archiving):
        monkeypatch.setattr(module, "now", lambda: now() + milliseconds)
    monkeypatch.setattr("workers.archiving.now", lambda: now() + milliseconds)


def hot(service: Service) -> set[str]:
    return {stream.id for stream in service.log.redis.streams("game")}


def test_games_leave_by_age(
    service: Service, games: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    service = configured(service, days=2)
    duty = ArchiveDuty(service)
    assert duty.step(RUNNING)
    assert hot(service) == set(games)
    assert not duty.step(RUNNING)
    pass_time(monkeypatch, 2 * DAY + 1)
    assert duty.step(RUNNING)
    assert hot(service) == {games[3]}
    status = read_status(service.store)
    assert (status.games, status.segments, status.error) == (3, 1, "")
    assert status.bytes > 0


def test_games_leave_after_a_turn_that_was_taken_with_the_clock_ahead(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = configured(service, days=2)
    duty = ArchiveDuty(service)
    pass_time(monkeypatch, 365 * DAY)
    assert duty.step(RUNNING)
    pass_time(monkeypatch, 0)
    assert duty.step(RUNNING)
    assert not duty.step(RUNNING)


def test_what_nothing_needs_is_looked_for_once_a_day(
    service: Service, games: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    service = configured(service, days=2)
    stray = Path(urlsplit(service.settings.objects_url).path) / "segments" / "00" / ("00" * 32)
    looks: list[int] = []
    for day in (3, 9, 11):
        pass_time(monkeypatch, day * DAY)
        for _ in range(2):
            ArchiveDuty(service).step(RUNNING)
            if not stray.parent.exists():
                stray.parent.mkdir(parents=True)
            if day == 3:
                stray.write_bytes(b"left by one that was killed")
        looks.append(stray.exists())
        # The once-a-day mark expires in real time.
        service.store.delete(archive_turn.COLLECTED)
    # Written after the first look, seen at the second, and not yet unneeded for a week.
    assert looks == [True, True, True]
    pass_time(monkeypatch, 16 * DAY + HOUR)
    ArchiveDuty(service).step(RUNNING)
    assert not stray.exists()
    assert hot(service) == {games[3]}


@pytest.mark.parametrize("failure", [ObjectsAway("s3://club", "it is away"), SystemExit()])
def test_a_look_that_failed_or_was_cut_short_is_repeated_in_an_hour(
    service: Service,
    games: list[str],
    monkeypatch: pytest.MonkeyPatch,
    failure: BaseException,
) -> None:
    service = configured(service, days=2)
    pass_time(monkeypatch, 3 * DAY)
    store, objects = service.store, service.log.archive.objects
    looks: list[str] = []

    def fail(folder: str) -> Iterator[StoredObject]:
        looks.append(folder)
        raise failure

    with monkeypatch.context() as broken:
        broken.setattr(objects, "list", fail)
        with pytest.raises(type(failure)):
            ArchiveDuty(service).step(RUNNING)
        assert 0 < store.pttl(archive_turn.COLLECTED) <= HOUR
        # The rest of the archive does not wait for it, and it is not repeated at once.
        assert ArchiveDuty(service).step(RUNNING)
        assert len(looks) == 1
    store.delete(archive_turn.COLLECTED)
    pass_time(monkeypatch, 3 * DAY + 2 * HOUR)
    assert ArchiveDuty(service).step(RUNNING)
    assert HOUR < store.pttl(archive_turn.COLLECTED) <= DAY


def test_a_look_that_a_backup_put_off_is_repeated_in_an_hour(
    service: Service, games: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    service = configured(service, days=2)
    pass_time(monkeypatch, 3 * DAY)
    service.store.set(BACKUP_LOCK, "a backup")
    assert ArchiveDuty(service).step(RUNNING)
    assert 0 < service.store.pttl(archive_turn.COLLECTED) <= HOUR
    service.store.delete(BACKUP_LOCK, archive_turn.COLLECTED)
    pass_time(monkeypatch, 3 * DAY + 2 * HOUR)
    assert ArchiveDuty(service).step(RUNNING)
    assert HOUR < service.store.pttl(archive_turn.COLLECTED) <= DAY


def test_games_leave_earlier_when_memory_is_short(
    service: Service, games: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    note_readers(service)
    pressed = configured(service, days=30, above=MemoryLimit(bytes=1 << 20))
    monkeypatch.setattr(archive_turn, "_is_above", lambda service, limit, part: True)
    assert ArchiveDuty(pressed).step(RUNNING)
    assert hot(service) == set(games)
    pass_time(monkeypatch, HOUR + 1)
    assert ArchiveDuty(pressed).step(RUNNING)
    assert hot(service) == {games[3]}


def test_memory_is_made_free_only_as_long_as_it_is_short(
    service: Service, games: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = MemoryLimit(percent=75)
    used = int(service.store.info("memory")["used_memory"])
    monkeypatch.setattr(
        service.store,
        "info",
        lambda section: {"used_memory": used, "maxmemory": 2 * used, "total_system_memory": 1},
    )
    assert not archive_turn._is_above(service, limit, 1.0)
    assert archive_turn._is_above(service, MemoryLimit(percent=49), 1.0)
    assert archive_turn._is_above(service, MemoryLimit(bytes=used - 1), 1.0)
    assert not archive_turn._is_above(service, MemoryLimit(bytes=used), 1.0)
    assert archive_turn._is_above(service, MemoryLimit(bytes=used), 0.9)


def test_one_process_at_a_time_takes_a_turn(
    service: Service, games: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    service = configured(service, days=1)
    pass_time(monkeypatch, DAY + 1)
    other = service.store.lock(LEASE, 100)
    other.acquire()
    assert not ArchiveDuty(service).step(RUNNING)
    assert hot(service) == set(games)
    other.release()
    assert ArchiveDuty(service).step(RUNNING)
    assert hot(service) == {games[3]}


def test_a_turn_is_bounded_and_goes_on(
    service: Service, games: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_turn, "MOST", 1)
    monkeypatch.setattr("service.archive.archiver.STREAMS", 1)
    service = configured(service, days=1)
    pass_time(monkeypatch, DAY + 1)
    duty = ArchiveDuty(service)
    for left in (3, 2, 1):
        assert duty.step(RUNNING)
        assert len(hot(service)) == left
    assert duty.step(RUNNING)
    assert not duty.step(RUNNING)


def test_a_duty_that_is_to_stop_ends_its_turn(
    service: Service, games: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    service = configured(service, days=1)
    pass_time(monkeypatch, DAY + 1)
    stopped = Event()
    stopped.set()
    assert ArchiveDuty(service).step(stopped)
    assert hot(service) == set(games)


def test_what_breaks_a_turn_off_is_told(
    service: Service, games: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    service = configured(service, days=1)
    pass_time(monkeypatch, DAY + 1)

    def fail(name: str, content: bytes | Path) -> None:
        raise ObjectsAway("s3://club", "it is away")

    with monkeypatch.context() as broken:
        broken.setattr(service.log.archive.objects, "put_new", fail)
        with pytest.raises(ObjectsAway):
            ArchiveDuty(service).step(RUNNING)
    assert "it is away" in read_status(service.store).error
    assert hot(service) == set(games)
    assert ArchiveDuty(service).step(RUNNING)
    assert read_status(service.store).error == ""
    assert hot(service) == {games[3]}


def test_the_feed_is_trimmed_in_a_turn(
    service: Service, games: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archiving, "FeedTrimmer", partial(FeedTrimmer, least=1))
    monkeypatch.setattr(
        "service.composition.reading.StoredReactionProgress.load",
        lambda self, partitions: service.log.feed_positions(),
    )
    monkeypatch.setattr(
        type(service.checkpoints), "load", lambda self, partitions: service.log.feed_positions()
    )
    note_readers(service)
    service = configured(service, days=1)
    before = sum(service.log.feeds.count_entries())
    pass_time(monkeypatch, DAY + 1)
    assert ArchiveDuty(service).step(RUNNING)
    status = read_status(service.store)
    assert 0 < status.feed_entries == before - sum(service.log.feeds.count_entries())


def test_a_lost_directory_stops_the_duty(service: Service, games: list[str]) -> None:
    service = configured(service, days=1)
    service.log.redis.client.set(DIRECTORY, "another")
    with pytest.raises(DirectoryAway):
        archive_turn.take_turn(service, lambda: True)


@pytest.mark.slow
def test_its_process_takes_a_turn_and_ends_when_told(
    service: Service, games: list[str], redis_server: RedisServer
) -> None:
    with worker_processes(redis_server, "archive") as start:
        worker = start()
        eventually(lambda: read_status(service.store).at > 0)
        worker.terminate()
        assert worker.wait(PATIENCE) == 0
    assert hot(service) == set(games)
    assert not service.store.exists(LEASE)
