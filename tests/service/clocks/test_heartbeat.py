"""The heartbeat, and the outages that its gaps show."""

from __future__ import annotations

from typing import Any

import pytest
import redis

from service.clocks.heartbeat import BEAT_KEY, GAP, OUTAGES_KEY, Heartbeat
from service.game.timekeeping import Outage
from tests.waiting import eventually


def now_of(store: redis.Redis) -> int:
    told: Any = store.time()
    return int(told[0]) * 1000 + int(told[1]) // 1000


def silent(store: redis.Redis, milliseconds: int) -> int:
    """Put the last beat this many milliseconds back; return when it was."""
    at = now_of(store) - milliseconds
    store.set(BEAT_KEY, at)
    return at


@pytest.fixture
def begun(store: redis.Redis) -> redis.Redis:
    """A store on which the service has run before."""
    Heartbeat(store).beat()
    store.delete(OUTAGES_KEY)
    return store


def test_a_beat_says_that_the_service_is_there(begun: redis.Redis) -> None:
    heartbeat = Heartbeat(begun)
    heartbeat.beat()
    pulse = heartbeat.read()
    assert pulse.alive <= pulse.now < pulse.alive + 5000
    assert pulse.outages == []


def test_the_first_beat_after_a_gap_notes_an_outage(begun: redis.Redis) -> None:
    ended_at = silent(begun, GAP + 1000)
    one, other = Heartbeat(begun), Heartbeat(begun)
    one.beat()
    other.beat()
    (outage,) = one.read().outages
    assert outage.begun == ended_at
    assert ended_at < outage.ended <= now_of(begun)
    assert other.read().outages == [outage]
    assert one.read(outage.ended).outages == []


def test_a_short_gap_is_no_outage(begun: redis.Redis) -> None:
    silent(begun, GAP - 1000)
    heartbeat = Heartbeat(begun)
    heartbeat.beat()
    assert heartbeat.read().outages == []


def test_a_store_without_a_beat_was_restored(store: redis.Redis) -> None:
    heartbeat = Heartbeat(store)
    heartbeat.beat()
    (outage,) = heartbeat.read().outages
    assert outage.begun == 0


def test_who_only_reads_notes_nothing(begun: redis.Redis) -> None:
    at = silent(begun, GAP + 1000)
    heartbeat = Heartbeat(begun)
    assert heartbeat.look(0) == ([], at)
    assert heartbeat.read().alive == at


def test_who_beats_knows_of_an_outage_before_it_decides(begun: redis.Redis) -> None:
    heartbeat = Heartbeat(begun)
    stop = heartbeat.start()
    eventually(lambda: heartbeat.look(0)[1] > 0, "it beats")
    stop.set()
    at = silent(begun, GAP + 1000)
    # As if this process had been stopped for that long.
    heartbeat._heard_at = float("-inf")
    outages, alive = heartbeat.look(0)
    assert [outage.begun for outage in outages] == [at]
    assert alive == outages[0].ended
    assert heartbeat.look(alive)[0] == []


def test_beats_come_by_themselves(begun: redis.Redis) -> None:
    heartbeat = Heartbeat(begun)
    stop = heartbeat.start()
    try:
        first = silent(begun, 1000)
        eventually(lambda: heartbeat.read().alive > first + 1000, "there is another beat")
    finally:
        stop.set()


def test_outages_are_told_in_order(begun: redis.Redis) -> None:
    for begun_at, ended_at in ((5000, 9000), (20_000, 30_000), (10_000, 16_000)):
        begun.zadd(OUTAGES_KEY, {f"{begun_at}-{ended_at}": ended_at})
    assert Heartbeat(begun).read(9000).outages == [Outage(10_000, 16_000), Outage(20_000, 30_000)]
