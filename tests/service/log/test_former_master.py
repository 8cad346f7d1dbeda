"""A master that stood still during a failover, and answers afterwards with what only it has."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
import redis

from service.errors import WrongExpectedVersion
from service.log.interface import FEED_START
from service.log.partition import partition_of
from service.log.redis import RedisEventLog
from service.log.redis_forms import name_feed
from service.log.values import Pointer
from service.storage.connections import open_store
from tests.service.log.support import CODEC, GAME, notes, request
from tests.service.redis_sentinel import NAME, Server, Watched, watched_redis
from tests.waiting import PATIENCE, eventually

PARTITION = partition_of(GAME)


@pytest.fixture
def replicated() -> Iterator[Watched]:
    """A master with two replicas, so that one remains when another has taken its place."""
    with watched_redis(servers=3) as running:
        yield running


@contextmanager
def open_log(watched: Watched, replicas: int, patience: float) -> Iterator[RedisEventLog]:
    """A log whose client waits so many seconds for an answer."""
    with open_store(f"{watched.url}?socket_timeout={patience}") as client:
        yield RedisEventLog(client, CODEC, replicas=replicas)


def follow(log: RedisEventLog, count: int) -> list[Pointer]:
    """The partition's first `count` pointers as a follower gets them; fewer if it gets no more."""
    found: list[Pointer] = []
    deadline = time.monotonic() + PATIENCE
    while len(found) < count and time.monotonic() < deadline:
        position = found[-1].position if found else FEED_START
        try:
            found += [pointer for _, pointer in log.wait({PARTITION: position}, 2.0)]
        except redis.RedisError:
            time.sleep(0.1)
    return found


def append(log: RedisEventLog, text: str, expected: int) -> bool:
    """Append an event; returns whether that was acknowledged, or an earlier try carried out."""
    try:
        log.append(request(notes(text), expected))
    except WrongExpectedVersion:  # nobody else appends
        return True
    except redis.RedisError:
        return False
    return True


def has_replaced(watched: Watched, former: Server) -> bool:
    """Whether another server is the master."""
    return any(server.is_master() for server in watched.nodes if server is not former)


def all_know_another(watched: Watched, former: Server) -> bool:
    """Whether every Sentinel names another server as the master."""
    asked = ("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME)
    return all(int(one.ask(*asked)[1]) != former.port for one in watched.sentinels)


@pytest.mark.slow
@pytest.mark.parametrize("replicas", [0, 1])
def test_followers_skip_nothing_for_what_a_former_master_alone_has(
    replicated: Watched, replicas: int
) -> None:
    """When it resumes, it appends what was waiting in its socket, later than the new master did."""
    former = replicated.find_master()
    with (
        open_log(replicated, replicas, PATIENCE) as follower,
        open_log(replicated, replicas, 1) as writer,
        redis.Redis(port=former.port) as late,
        ThreadPoolExecutor(1) as pool,
    ):
        eventually(lambda: append(writer, "a", 0), "the writer reaches the master")
        assert follow(follower, 1)[0].last == 1
        connection = late.connection_pool.get_connection()
        followed = pool.submit(follow, follower, 3)
        # Most of the time it waits for an answer.
        time.sleep(1)
        former.signal(signal.SIGSTOP)
        try:
            lost = ("s", "game:lost", "f", 1, "l", 1, "a", "")
            connection.send_command("XADD", name_feed(PARTITION), "*", *lost)
            eventually(lambda: has_replaced(replicated, former), "a replica takes its place")
            eventually(lambda: append(writer, "b", 1), "writes go on")
            if not replicas:
                # Then a follower has only the word of the Sentinel that it asks.
                eventually(lambda: all_know_another(replicated, former), "all Sentinels have heard")
        finally:
            former.signal(signal.SIGCONT)
        connection.read_response()
        eventually(lambda: append(writer, "c", 2), "the writer reaches the new master")
        found = followed.result()
    assert [(str(pointer.stream), pointer.last) for pointer in found] == [
        (str(GAME), 1),
        (str(GAME), 2),
        (str(GAME), 3),
    ]
