"""Keys whose changes the store reports."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Thread

import pytest
import redis

from service.log.tracked_keys import MOST, TrackedKeys
from tests.service.redis_server import RedisServer

KEYS = ["movelog:one", "movelog:two"]


@pytest.fixture
def client(redis_server: RedisServer) -> Iterator[redis.Redis]:
    with redis_server.client() as client:
        yield client


@pytest.fixture
def tracked(client: redis.Redis) -> Iterator[TrackedKeys]:
    tracked = TrackedKeys(client)
    yield tracked
    tracked.close()


def test_a_key_holds_until_somebody_changes_it(tracked: TrackedKeys, client: redis.Redis) -> None:
    client.set("movelog:one", "1")
    tracked.track(KEYS)
    since = tracked.now
    tracked.catch_up()
    assert tracked.hold(KEYS, since)
    client.set("movelog:two", "now it is there")
    tracked.catch_up()
    assert tracked.hold(["movelog:one"], since)
    assert not tracked.hold(KEYS, since)
    client.delete("movelog:one")
    tracked.catch_up()
    assert not tracked.hold(["movelog:one"], since)


def test_a_key_holds_from_when_it_was_tracked_on(tracked: TrackedKeys, client: redis.Redis) -> None:
    before = tracked.now
    assert not tracked.hold(KEYS, before)
    tracked.track(KEYS)
    assert not tracked.hold(KEYS, before)
    client.set("movelog:one", "1")
    tracked.catch_up()
    tracked.track(KEYS)
    assert tracked.hold(KEYS, tracked.now)
    assert not tracked.hold(KEYS, tracked.now - 1)


def test_an_emptied_store_and_a_new_connection_hold_nothing(
    tracked: TrackedKeys, client: redis.Redis
) -> None:
    for forget in (client.flushall, tracked.close):
        tracked.track(KEYS)
        since = tracked.now
        tracked.catch_up()
        assert tracked.hold(KEYS, since)
        forget()
        tracked.catch_up()
        assert not tracked.hold(KEYS, since)


def test_tracked_keys_are_bounded(tracked: TrackedKeys) -> None:
    tracked.track([f"movelog:{number}" for number in range(MOST)])
    assert tracked.hold(["movelog:0"], tracked.now)
    tracked.track(KEYS)
    assert tracked.hold(KEYS, tracked.now)
    assert not tracked.hold(["movelog:0"], tracked.now)


def test_those_who_wait_for_a_store_that_is_away_fail_together(
    tracked: TrackedKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten who ask during a failing attempt share one more attempt, rather than make ten."""
    tried: list[int] = []
    waiting: list[Thread] = []
    failures: list[redis.ConnectionError] = []

    def ask() -> None:
        try:
            tracked.catch_up()
        except redis.ConnectionError as error:
            failures.append(error)

    def refuse(packed: bytes, answers: int) -> None:
        tried.append(answers)
        if len(tried) == 1:
            waiting.extend(Thread(target=ask) for _ in range(10))
            for thread in waiting:
                thread.start()
            while tracked._asked < 11:
                pass
        raise redis.ConnectionError("away")

    monkeypatch.setattr(tracked, "_exchange", refuse)
    ask()
    for thread in waiting:
        thread.join()
    assert len(failures) == 11
    assert len(tried) == 2
