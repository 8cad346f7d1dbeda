"""Reads that are remembered and never stale: names of players, and heads of games."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping

import pytest
import redis

from service.composition.service import CODEC, now
from service.log.redis import RedisEventLog
from service.log.tracked_keys import TrackedKeys
from service.player.commands import Principal
from service.player.repository import Players
from service.player.state import stream_of
from service.records.remembered_reads import PAUSE, RememberedReads
from tests.service.player.support import players_of
from tests.service.redis_server import RedisServer


class Reading:
    """Players, and the ids of each read of their names."""

    def __init__(self, log: RedisEventLog, tracked: TrackedKeys | None) -> None:
        self.players: Players = players_of(log, now)
        self.asked: list[list[str]] = []
        self.names = RememberedReads(
            self.read,
            lambda id: log.attributes_key(stream_of(id)),
            tracked,
            lambda id, present: present[0] == id,
        )

    def find(self, ids: Iterable[str]) -> dict[str, str]:
        return {id: name for id, (_, name) in self.names.find(ids).items()}

    def read(self, ids: Iterable[str]) -> Mapping[str, tuple[str, str]]:
        self.asked.append(list(ids))
        return self.players.present_names(ids)

    def register(self, *names: str) -> list[str]:
        return [self.players.register(name, None).id for name in names]


@pytest.fixture
def client(redis_server: RedisServer) -> Iterator[redis.Redis]:
    with redis_server.client() as client:
        yield client


@pytest.fixture
def tracked(client: redis.Redis) -> Iterator[TrackedKeys]:
    tracked = TrackedKeys(client)
    yield tracked
    tracked.close()


@pytest.fixture
def reading(client: redis.Redis, tracked: TrackedKeys) -> Reading:
    return Reading(RedisEventLog(client, CODEC), tracked)


def test_a_name_is_read_once(reading: Reading) -> None:
    ada, ben, eve = reading.register("Ada", "Ben", "Eve")
    assert reading.find([ada, ben, ada]) == {ada: "Ada", ben: "Ben"}
    assert reading.find([ben, eve]) == {ben: "Ben", eve: "Eve"}
    assert reading.find([ada, ben, eve]) == {ada: "Ada", ben: "Ben", eve: "Eve"}
    assert reading.asked == [[ada, ben], [eve]]
    assert reading.find([]) == {}


def test_whatever_becomes_of_a_player_is_known_at_once(reading: Reading) -> None:
    ada, ben = reading.register("Ada", "Ben")
    reading.find([ada, ben])
    reading.players.rename(ada, "Ada B.", ada)
    assert reading.find([ada, ben]) == {ada: "Ada B.", ben: "Ben"}
    reading.players.erase(ada, Principal(ada, None))
    assert reading.find([ada, ben]) == {ada: "?", ben: "Ben"}
    assert reading.asked == [[ada, ben], [ada], [ada]]


def test_one_who_is_registered_later_has_a_name_then(reading: Reading) -> None:
    id = "a" * 16
    assert reading.find([id]) == {id: "?"}
    reading.players.register("Ada", None, id=id)
    assert reading.find([id]) == {id: "Ada"}


def test_a_merged_player_has_the_name_of_the_other_one(reading: Reading) -> None:
    first, second = (reading.players.unclaimed(name, "importer") for name in ("A. B.", "Ada B."))
    (ada,) = reading.register("Ada")
    assert reading.find([first, second]) == {first: "A. B.", second: "Ada B."}
    reading.players.merge(first, second, "admin")
    reading.players.merge(second, ada, "admin")
    for name in ("Ada", "Adele"):
        reading.players.rename(ada, name, ada)
        assert reading.find([first, second]) == {first: name, second: name}


def test_what_changes_while_it_is_read_is_read_again(
    reading: Reading, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ada,) = reading.register("Ada")
    read = reading.names.read

    def overtaken(ids: list[str]) -> Mapping[str, tuple[str, str]]:
        found = read(ids)
        monkeypatch.setattr(reading.names, "read", read)
        reading.players.rename(ada, "Ada B.", ada)
        return found

    monkeypatch.setattr(reading.names, "read", overtaken)
    assert reading.find([ada]) == {ada: "Ada"}
    assert reading.find([ada]) == {ada: "Ada B."}


def test_no_more_are_remembered_than_there_is_room_for(
    reading: Reading, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.records.remembered_reads.MOST", 2)
    ids = reading.register("Ada", "Ben", "Eve")
    for _ in range(2):
        for id, name in zip(ids, ("Ada", "Ben", "Eve"), strict=True):
            assert reading.find([id]) == {id: name}
    assert len(reading.asked) > len(ids)


def test_a_full_memory_is_not_gone_through_for_each_read(
    reading: Reading, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.records.remembered_reads.MOST", 1)
    ada, ben = reading.register("Ada", "Ben")
    reading.find([ada])
    reading.find([ben])
    reading.players.rename(ada, "Ada B.", ada)
    now = time.monotonic()
    assert reading.find([ben]) == {ben: "Ben"}
    assert reading.asked == [[ada], [ben], [ben]]
    monkeypatch.setattr("service.records.remembered_reads.time.monotonic", lambda: now + PAUSE)
    for _ in range(2):
        assert reading.find([ben]) == {ben: "Ben"}
    assert reading.asked == [[ada], [ben], [ben], [ben]]


def test_where_nothing_is_tracked_all_is_read(client: redis.Redis) -> None:
    reading = Reading(RedisEventLog(client, CODEC), None)
    (ada,) = reading.register("Ada")
    for name in ("Ada", "Adele"):
        reading.players.rename(ada, name, ada)
        assert reading.find([ada]) == {ada: name}


def test_where_tracking_fails_all_is_read(
    reading: Reading, tracked: TrackedKeys, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ada,) = reading.register("Ada")
    reading.find([ada])

    def fail(*given: object) -> None:
        raise redis.ConnectionError

    for name in ("_exchange", "_connect"):
        monkeypatch.setattr(tracked, name, fail)
    for name in ("Ada B.", "Ada C."):
        reading.players.rename(ada, name, ada)
        assert reading.find([ada]) == {ada: name}
