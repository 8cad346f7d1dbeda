"""Games that leave Redis and come back: they are unchanged, and nothing is lost on the way."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from shutil import copy
from threading import Barrier
from typing import IO

import pytest
import redis

from service.archive.archive import Archive
from service.archive.archiver import Archiver
from service.archive.directory import FILE, SegmentRow, open_directory
from service.archive.errors import DamagedSegment, DirectoryAway
from service.archive.outages import ArchiveAway
from service.archive.rebuilt_directory import RebuiltDirectory
from service.archive.redis_tier import REMOVALS, Changed
from service.archive.segment import Entry
from service.archive.tiered import TieredEventLog
from service.errors import WrongExpectedVersion
from service.log.errors import AlreadyDone, MaybeArchived
from service.log.values import GENESIS, Event, Receipt, StreamId
from service.storage.errors import ObjectMissing, ObjectsAway
from service.storage.objects import ObjectStore
from tests.service.archive.support import TIMES, archive_all, make_directory
from tests.service.log.support import GAME, OTHER, Noted, at_once, notes, receipt, request

KEY = "0123456789abcdef" * 4
"""A key as requests have it, of 64 digits; the archive keeps 16 of them."""


def play(log: TieredEventLog, stream: StreamId, events: int = 5) -> None:
    """Append events one by one, each with a receipt and an attribute."""
    for version in range(events):
        kept = receipt(f"{version:08}{KEY[8:]}", KEY)
        log.append(
            request(
                notes(f"move {version} of {stream}"),
                version,
                stream,
                receipt=kept,
                attributes={f"private:{version}": "sealed ž"},
            )
        )


def keys_of(log: TieredEventLog, stream: StreamId) -> list[bytes]:
    return list(log.redis.client.scan_iter(match=f"movelog:*{stream}*"))


def everything(log: TieredEventLog, stream: StreamId) -> tuple[object, ...]:
    """Everything that can be read of a stream."""
    return (
        log.read(stream),
        log.read(stream, 2, 2),
        log.version(stream),
        log.head(stream),
        dict(log.all_attributes(stream)),
        log.attributes([(stream, "private:1"), (stream, "none")]),
        [log.receipt(stream, f"{version:08}{KEY[8:]}") is None for version in range(7)],
    )


def test_an_archived_stream_is_what_it_was_and_redis_forgets_it(log: TieredEventLog) -> None:
    play(log, GAME)
    before = everything(log, GAME)
    assert archive_all(log) == 1
    assert keys_of(log, GAME) == []
    assert everything(log, GAME) == before
    assert log.streams("game") == [GAME]
    assert keys_of(log, GAME) == []


def test_an_append_puts_a_stream_back(log: TieredEventLog) -> None:
    play(log, GAME)
    recorded = log.read(GAME)
    archive_all(log)
    assert log.append(replace(request(notes("more"), 5), head=recorded[-1].hash)) == 6
    assert log.redis.read(GAME)[:5] == recorded
    assert dict(log.redis.all_attributes(GAME)) == dict(log.all_attributes(GAME))
    assert archive_all(log) == 1
    assert log.version(GAME) == 6


def test_receipts_answer_from_the_archive_and_after_it(log: TieredEventLog) -> None:
    play(log, GAME)
    archive_all(log)
    key = f"00000002{KEY[8:]}"
    kept = log.receipt(GAME, key)
    assert kept == Receipt(key, KEY[:8], 200, 3, 3)
    again = request(notes("x"), 2, receipt=receipt(key, KEY))
    for _ in range(2):
        with pytest.raises(AlreadyDone) as done:
            log.append(again)
        assert done.value.receipt == kept
    assert log.version(GAME) == 5


def test_an_archived_stream_never_looks_new(log: TieredEventLog) -> None:
    play(log, GAME)
    archive_all(log)
    for expected in (0, 3):
        with pytest.raises(WrongExpectedVersion) as refused:
            log.append(request(notes("new"), expected))
        assert refused.value.actual == 5
    archive_all(log)
    with pytest.raises(MaybeArchived, match="has to be asked"):
        log.redis.append(request(notes("new")))
    assert log.version(GAME) == 5


def test_new_streams_are_begun_beside_archived_ones(log: TieredEventLog) -> None:
    play(log, GAME)
    archive_all(log)
    mates = (StreamId("game", f"g{n}") for n in range(10_000))
    mate = next(one for one in mates if log.partition(one) == log.partition(GAME))
    made = log.append_each(
        [
            request(notes("a"), stream=mate),
            replace(request(notes("b"), 5), head=log.head(GAME)),
            request(notes("c"), stream=StreamId("player", "p")),
        ]
    )
    assert made == [1, 6, 1]


def test_a_stream_with_an_alarm_stays(log: TieredEventLog) -> None:
    log.append(replace(request(notes("a")), alarm=5))
    assert archive_all(log) == 0
    with pytest.raises(Changed):
        log.tier.copy(GAME)
    assert log.redis.version(GAME) == 1


@pytest.mark.parametrize("change", ["event", "attribute", "receipt", "alarm"])
def test_what_was_changed_since_it_was_copied_stays(log: TieredEventLog, change: str) -> None:
    play(log, GAME)
    changes = {
        "event": request(notes("more"), 5),
        "attribute": request([], 5, attributes={"private:1": "sealed anew"}),
        "receipt": request([], 5, receipt=receipt("k")),
        "alarm": replace(request([], 5), alarm=9),
    }

    def act(done: str) -> None:
        if done == "noted":
            log.append(changes[change])

    archiver = Archiver(log.tier, log.archive, lambda: next(TIMES), act)
    (done,) = archiver.run([GAME])
    assert (done.streams, done.skipped) == (0, 1)
    before = everything(log, GAME)
    assert log.redis.version(GAME) == 5 + (change == "event")
    log.append(replace(request([], log.version(GAME)), alarm=0))
    assert archive_all(log) == 1
    assert everything(log, GAME) == before


def test_what_was_found_before_it_changed_is_not_put_back(log: TieredEventLog) -> None:
    """After a slow process has read a stream, others put it back, change and archive it again."""
    play(log, GAME)
    archive_all(log)
    acts: list[Callable[[], object]] = [
        lambda: (log.append(request(notes("theirs"), 5)), archive_all(log))
    ]

    def act(done: str) -> None:
        if done == "loaded" and acts:
            acts.pop()()

    slow = TieredEventLog(log.redis, log.archive, act)
    with pytest.raises(WrongExpectedVersion) as refused:
        slow.append(replace(request(notes("mine"), 5), head=log.head(GAME)))
    assert not acts
    assert refused.value.actual == 6
    assert log.version(GAME) == 6


def test_archiving_races_creates_and_appends(log: TieredEventLog) -> None:
    """Creates, appends and reads are retried while everything is archived again and again."""
    streams = [StreamId("game", f"r{n}") for n in range(4)]
    turns = 12
    start = Barrier(6)

    def write(seed: int) -> None:
        choose = random.Random(seed)
        start.wait()
        for _ in range(turns * len(streams)):
            stream = choose.choice(streams)
            version = choose.choice([0, log.version(stream)])
            kept = receipt(f"{stream.id}{version:08}{KEY}")
            with suppress(AlreadyDone, WrongExpectedVersion):
                log.append(request(notes(f"{version}"), version, stream, receipt=kept))
            assert len(log.read(stream)) >= version

    def archive() -> None:
        start.wait()
        for _ in range(turns):
            archive_all(log)

    writers: list[Callable[[], None]] = [partial(write, n) for n in range(4)]
    at_once([*writers, archive, archive])
    archive_all(log)
    for stream in streams:
        recorded = log.read(stream)
        assert [entry.event for entry in recorded] == notes(*map(str, range(len(recorded))))
        pointers = [p for p in log.feed(log.partition(stream), limit=10_000) if p.stream == stream]
        assert [pointer.last for pointer in pointers] == list(range(1, len(recorded) + 1))


def test_an_older_copy_of_the_directory_is_refused(log: TieredEventLog, tmp_path: Path) -> None:
    def replace_directory(file: Path) -> TieredEventLog:
        for end in ("", "-wal", "-shm"):
            (tmp_path / (FILE + end)).unlink(missing_ok=True)
        copy(file, tmp_path / FILE)
        directory = open_directory(tmp_path, None)
        return TieredEventLog(log.redis, Archive(log.archive.objects, directory))

    def copy_directory(name: str) -> Path:
        connections = (closing(sqlite3.connect(tmp_path / file)) for file in (FILE, name))
        with next(connections) as source, next(connections) as target:
            source.backup(target)
        return tmp_path / name

    play(log, GAME)
    archive_all(log)
    old = copy_directory("old")
    log.append(request(notes("more"), 5))
    archive_all(log)
    play(log, OTHER, 3)
    archive_all(log)
    before, newer = everything(log, GAME), copy_directory("newer")
    assert everything(replace_directory(newer), GAME) == before
    older = replace_directory(old)
    for ask in (older.version, older.read, lambda stream: older.streams("game")):
        with pytest.raises(ArchiveAway, match=r"older copy.*--make-directory"):
            ask(GAME)
    play(log, StreamId("game", "c"))
    with pytest.raises(DirectoryAway, match="older copy"):
        archive_all(older)
    # One that is interrupted leaves it refused.
    with pytest.raises(KeyboardInterrupt):
        RebuiltDirectory(older.redis, older.archive).build(interrupt)
    with pytest.raises(ArchiveAway, match="older copy"):
        older.read(GAME)
    make_directory(older)
    older.tier.note_directory(older.archive.directory, anew=True)
    assert everything(older, GAME) == before
    archive_all(older)
    with pytest.raises(ArchiveAway, match="older copy"):
        replace_directory(newer).read(GAME)


def test_a_store_without_a_count_of_removals_is_accepted(log: TieredEventLog) -> None:
    """As earlier versions left it."""
    play(log, GAME)
    archive_all(log)
    log.redis.client.delete(REMOVALS)
    log.tier.check_directory(log.archive.directory)
    play(log, OTHER)
    archive_all(log)
    assert log.redis.client.get(REMOVALS) == b"2"


def interrupt(done: int, total: int) -> None:
    raise KeyboardInterrupt


def test_the_directory_is_made_again_from_the_segments(log: TieredEventLog, tmp_path: Path) -> None:
    play(log, GAME)
    play(log, OTHER, 3)
    archive_all(log)
    log.append(request(notes("more"), 5))
    archive_all(log)
    before = everything(log, GAME), everything(log, OTHER)
    (tmp_path / FILE).unlink()
    for end in ("-wal", "-shm"):
        (tmp_path / (FILE + end)).unlink(missing_ok=True)
    again = TieredEventLog(log.redis, Archive(log.archive.objects, open_directory(tmp_path, None)))
    # With an empty directory, archived streams would look new.
    for ask in (again.version, again.read, lambda stream: again.append(request([], 0, stream))):
        with pytest.raises(ArchiveAway, match="--make-directory"):
            ask(GAME)
    log.append(request(notes("another"), stream=StreamId("game", "c")))
    with pytest.raises(DirectoryAway):
        archive_all(again)
    assert make_directory(again) == 2
    again.tier.note_directory(again.archive.directory, anew=True)
    assert (everything(again, GAME), everything(again, OTHER)) == before
    assert again.archive.directory.count()[:2] == (2, 2)


def test_a_stream_stays_where_the_directory_has_other_events_of_it(
    log: TieredEventLog, caplog: pytest.LogCaptureFixture
) -> None:
    """Earlier versions noted events of a log that was lost when they made a directory again."""
    other = Entry(GAME, 100, 10, 20, "f" * 64, sealed=False)
    log.archive.directory.add(SegmentRow("e" * 64, 1000, 0, 1), [other])
    play(log, GAME)
    play(log, OTHER)
    before = everything(log, GAME)
    assert archive_all(log) == 1
    assert log.redis.streams("game") == [GAME]
    assert everything(log, GAME) == before
    assert f"{GAME} is not archived" in caplog.text


class BadObjects(ObjectStore):
    """An object store that fails, loses, truncates or garbles objects, as `wrong` says."""

    wrong = ""

    def put(self, name: str, content: bytes | Path | IO[bytes]) -> None:
        self._fail()
        super().put(name, content)

    def put_new(self, name: str, content: bytes) -> bool:
        self._fail()
        return super().put_new(name, content)

    def get(self, name: str) -> bytes:
        self._fail()
        found = super().get(name)
        if self.wrong == "truncates":
            return found[: len(found) // 2]
        return b"\0" * len(found) if self.wrong == "lies" else found

    def get_range(self, name: str, start: int, length: int) -> bytes:
        return self.get(name)[start : start + length]

    def _fail(self) -> None:
        if self.wrong == "fails":
            raise ObjectsAway(self.url, "it is away")
        if self.wrong == "loses":
            raise ObjectMissing("that")


@pytest.mark.parametrize("wrong", ["fails", "truncates", "lies", "loses"])
def test_an_object_store_that_fails_loses_nothing(
    log: TieredEventLog, tmp_path: Path, wrong: str
) -> None:
    objects = BadObjects((tmp_path / "bad").as_uri())
    log = TieredEventLog(log.redis, Archive(objects, log.archive.directory))
    play(log, GAME)
    before = everything(log, GAME)
    objects.wrong = wrong
    with pytest.raises((ObjectsAway, ObjectMissing, DamagedSegment)):
        archive_all(log)
    assert everything(log, GAME) == before
    objects.wrong = ""
    assert archive_all(log) == 1
    # As another process, with nothing cached.
    other = TieredEventLog(log.redis, Archive(objects, log.archive.directory))
    objects.wrong = wrong
    for ask in (other.read, other.all_attributes, partial(append_more, other)):
        with pytest.raises(redis.ConnectionError):
            ask(GAME)
    objects.wrong = ""
    assert everything(other, GAME) == before


def append_more(log: TieredEventLog, stream: StreamId) -> object:
    return log.append(request(notes("more"), 5, stream))


def test_a_stream_whose_digests_are_not_right_stays(log: TieredEventLog) -> None:
    play(log, GAME)
    fields: dict[bytes, object] = {
        b"e": "noted/1",
        b"d": "{}",
        b"t": 9,
        b"b": "x",
        b"h": b"\1" * 32,
    }
    log.redis.client.xadd(log.redis.key(GAME), fields, id="6-0")  # type: ignore[arg-type]
    assert archive_all(log) == 0
    assert log.redis.version(GAME) == 6


def test_many_streams_share_segments(log: TieredEventLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.archive.archiver.STREAMS", 20)
    streams = [StreamId("game", f"s{n}") for n in range(50)]
    for stream in streams:
        play(log, stream, 3)
    before = log.read_each(streams), log.digests(streams)
    assert archive_all(log) == 50
    assert log.archive.directory.count()[:2] == (50, 3)
    assert (log.read_each(streams), log.digests(streams)) == before
    assert [log.read(stream) for stream in streams] == before[0]
    assert set(log.streams("game")) == set(streams)


def test_every_character_comes_back(log: TieredEventLog) -> None:
    rich: list[Event] = [Noted(text='Ž "\\\n\u2028', number=-3, tags={"é": "ж"})]
    log.append(request(rich))
    archive_all(log)
    assert [entry.event for entry in log.read(GAME)] == rich
    assert log.read(GAME)[0].previous == GENESIS
