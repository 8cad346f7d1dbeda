"""The log on Redis in particular: its keys, its script, and how it copes with a lost server."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event as Flag
from threading import Thread
from typing import Any

import pytest
import redis
from redis.crc import key_slot

from service.log import feed_waits
from service.log.errors import LogError, PartitionMismatch, UnknownEvent
from service.log.redis import RedisEventLog
from service.log.values import StreamId, StreamRange
from service.log.wake import Wake
from tests.service.log.support import CODEC, GAME, Forgotten, Noted, notes, receipt, request
from tests.service.redis_server import RedisServer
from tests.waiting import PATIENCE, eventually, join


@pytest.fixture
def client(redis_server: RedisServer) -> Iterator[redis.Redis]:
    with redis_server.client() as client:
        yield client


@pytest.fixture
def log(client: redis.Redis) -> RedisEventLog:
    return RedisEventLog(client, CODEC)


def test_entry_ids_are_versions(log: RedisEventLog, client: redis.Redis) -> None:
    log.append(request(notes("a", "b")))
    log.append(request(notes("c"), 2))
    key = f"movelog:{{p{log.partition(GAME)}}}:game:a"
    entries: Any = client.xrange(key)
    assert [id for id, _ in entries] == [b"1-0", b"2-0", b"3-0"]
    own = bytes.fromhex(log.head(GAME))
    assert entries[2][1] == {
        b"e": b"noted/1",
        b"d": b'{"text":"c"}',
        b"t": b"1002",
        b"b": b"p1",
        b"h": own,
    }


def test_all_keys_of_an_append_share_a_slot(log: RedisEventLog, client: redis.Redis) -> None:
    log.append(request(notes("a"), receipt=receipt("k"), attributes={"x": "y"}))
    keys: Any = client.keys("movelog:{*")
    assert len(keys) == 4
    assert len({key_slot(key) for key in keys}) == 1
    assert {key_slot(f"{{p{p}}}".encode()) for p in range(64)} == {
        key_slot(f"movelog:{{p{p}}}:feed".encode()) for p in range(64)
    }


def test_the_script_survives_a_flush_of_scripts(log: RedisEventLog, client: redis.Redis) -> None:
    log.append(request(notes("a")))
    client.script_flush()
    assert log.append(request(notes("b"), 1)) == 2
    assert log.append(request(notes("c"), 2)) == 3


def test_another_number_of_partitions_is_refused(client: redis.Redis) -> None:
    RedisEventLog(client, CODEC, partitions=8)
    assert RedisEventLog(client, CODEC, partitions=8).partitions == 8
    with pytest.raises(PartitionMismatch) as refused:
        RedisEventLog(client, CODEC)
    assert (refused.value.stored, refused.value.configured) == (8, 64)
    assert str(refused.value) == "this log has 8 partitions, 64 are configured"
    assert isinstance(refused.value, LogError)


def test_an_event_of_a_newer_service_is_named(log: RedisEventLog, client: redis.Redis) -> None:
    log.append(request([*notes("a"), Forgotten()]))
    with pytest.raises(UnknownEvent, match="unknown event 'forgotten/1'") as refused:
        log.read(GAME)
    assert refused.value.stored_name == "forgotten/1"
    assert [entry.version for entry in log.read(GAME, limit=1)] == [1]
    assert log.version(GAME) == 2
    # Undecoded, it can be passed on.
    ((newer,),) = log.read_stored([StreamRange(GAME, 1, 5)])
    assert (newer.version, newer.stored_name, newer.data) == (2, "forgotten/1", "{}")


def test_streams_leave_out_what_stands_beside_them(log: RedisEventLog, client: redis.Redis) -> None:
    log.append(request(notes("a"), receipt=receipt("k"), attributes={"x": "y"}))
    client.set("movelog:{p0}:games:x", 1)
    assert log.streams("game") == [GAME]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("longest", "options"), [(feed_waits.LONGEST, {}), (PATIENCE, {"socket_timeout": 4})]
)
def test_a_wait_is_shorter_than_the_patience_of_the_client(
    redis_server: RedisServer,
    options: dict[str, Any],
    longest: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(feed_waits, "LONGEST", longest)
    with redis.Redis.from_url(redis_server.url, **options) as client:
        log = RedisEventLog(client, CODEC)
        assert log.wait(log.feed_positions(), PATIENCE) == []


def test_a_wait_that_blocks_is_ended_by_its_wake_alone(
    redis_server: RedisServer, client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    with redis.Redis.from_url(redis_server.url, socket_timeout=None) as patient:
        log = RedisEventLog(patient, CODEC)
        monkeypatch.setattr(log.waits, "_longest", 600)
        wake = Wake()
        for _ in range(2):
            waiter = Thread(target=log.wait, args=(log.feed_positions(), 600, wake))
            waiter.start()
            eventually(lambda: client.info("clients")["blocked_clients"], "it blocks")
            wake.call()
            join(waiter)
            wake.reset()


def test_the_positions_of_a_feed_rise_though_the_clock_goes_back(
    log: RedisEventLog, client: redis.Redis
) -> None:
    feed = f"movelog:{{p{log.partition(GAME)}}}:feed"
    ahead = "99999999999999-7"
    client.xadd(feed, {"s": "game:z", "f": 1, "l": 1, "a": ""}, id=ahead)
    log.append(request(notes("a")))
    assert [pointer.stream for pointer in log.feed(log.partition(GAME), ahead)] == [GAME]


@contextmanager
def proxy(target: Path, folder: Path, lose: Flag) -> Iterator[Path]:
    """A socket that relays to `target`, but loses one answer once `lose` is set."""
    path = folder / "proxy.sock"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()
    threads: list[Thread] = []

    def serve() -> None:
        while True:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            threads.append(Thread(target=relay, args=(near,)))
            threads[-1].start()

    def relay(near: socket.socket) -> None:
        with near, socket.socket(socket.AF_UNIX) as far:
            far.connect(str(target))
            while asked := near.recv(65536):
                far.sendall(asked)
                answer = far.recv(65536)
                if lose.is_set():
                    lose.clear()
                    return
                near.sendall(answer)

    threads.append(Thread(target=serve))
    threads[0].start()
    try:
        yield path
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        join(*threads)


def test_an_append_whose_answer_is_lost_is_not_sent_again(redis_server: RedisServer) -> None:
    lose = Flag()
    target = redis_server.folder / "redis.sock"
    with (
        TemporaryDirectory(prefix="movelog-") as folder,
        proxy(target, Path(folder), lose) as path,
        redis.Redis(unix_socket_path=str(path)) as client,
    ):
        log = RedisEventLog(client, CODEC)
        log.append(request(notes("a")))
        again = replace(request(notes("b"), 1), head=log.head(GAME))
        lose.set()
        with pytest.raises(redis.ConnectionError):
            log.append(again)
        # It was appended, and no conflict with another writer is reported.
        assert log.version(GAME) == 2
        assert log.append(request(notes("c"), 2)) == 3


def test_a_killed_server_has_lost_nothing_it_acknowledged(durable: RedisServer) -> None:
    streams = [StreamId("game", f"g{n}") for n in range(4)]
    acknowledged = dict.fromkeys(streams, 0)

    def write(stream: StreamId) -> None:
        with durable.client() as client:
            log = RedisEventLog(client, CODEC)
            try:
                while True:
                    version = acknowledged[stream]
                    text = str(version)
                    acknowledged[stream] = log.append(
                        request(
                            notes(text, text),
                            version,
                            stream,
                            receipt=receipt(text),
                            attributes={"last": text},
                        )
                    )
            except redis.ConnectionError:
                return

    writers = [Thread(target=write, args=(stream,)) for stream in streams]
    for writer in writers:
        writer.start()
    eventually(lambda: min(acknowledged.values()) >= 20, "each writer has appended")
    durable.kill()
    join(*writers)

    durable.start()
    with durable.client() as client:
        log = RedisEventLog(client, CODEC)
        for stream, version in acknowledged.items():
            check_whole(log, stream, version)
            assert log.append(request(notes("on"), log.version(stream), stream))


def check_whole(log: RedisEventLog, stream: StreamId, acknowledged: int) -> None:
    """At least the acknowledged appends are there, and each append wholly or not at all."""
    recorded = log.read(stream)
    # One more append may have reached the disk before its answer was lost.
    assert len(recorded) in (acknowledged, acknowledged + 2)
    texts = [str(n // 2 * 2) for n in range(len(recorded))]
    assert [e.event.text for e in recorded if isinstance(e.event, Noted)] == texts
    assert [entry.version for entry in recorded] == list(range(1, len(recorded) + 1))
    assert log.all_attributes(stream) == {"last": texts[-1]}
    assert all(log.receipt(stream, text) is not None for text in texts)
    pointers = [p for p in log.feed(log.partition(stream)) if p.stream == stream]
    assert [pointer.last for pointer in pointers] == list(range(2, len(recorded) + 1, 2))


def test_a_log_outlives_the_restart_of_its_server(durable: RedisServer) -> None:
    with durable.client() as client:
        log = RedisEventLog(client, CODEC)
        log.append(request(notes("a")))
        durable.kill()
        with pytest.raises(redis.ConnectionError):
            log.append(request(notes("b"), 1))
        durable.start()
        assert log.append(request(notes("b"), 1)) == 2
