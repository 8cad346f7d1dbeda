"""A log apart from the Redis of everything else: where it is, and its backups."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from service.composition.log_store import LOG_KEY, borrow_log, can_write_all
from service.composition.projector import rebuild
from service.composition.service import Service
from service.environment import BadSetting
from service.log.errors import LogElsewhere
from service.log.values import Recorded, StreamId
from service.operations.admin import make_first_admin
from service.operations.backup import back_up
from service.operations.restore import restore
from service.operations.serving import check_store, warn_of_unsafe_settings
from service.operations.unfinished_restore import RESTORING_KEY
from service.settings import Settings, read_settings
from tests.service.operations.test_backup import played_game, silent
from tests.service.redis_cluster import RedisCluster
from tests.service.redis_sentinel import NAME, Watched
from tests.waiting import eventually

pytestmark = pytest.mark.slow

REDIS = "redis://127.0.0.1:6379"


def content(service: Service) -> Mapping[StreamId, tuple[list[Recorded], Mapping[str, str]]]:
    """All events of games and players, and the attributes beside them."""
    log = service.log
    streams = [stream for kind in ("game", "player") for stream in log.streams(kind)]
    return {stream: (log.read(stream), log.all_attributes(stream)) for stream in streams}


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"MOVELOG_LOG_URL": "redis-cluster://a"}, "MOVELOG_LOG_URL: needs MOVELOG_REDIS_URL"),
        ({"MOVELOG_LOG_URL": "redis://a", "MOVELOG_REDIS_URL": REDIS}, "nodes of a Redis Cluster"),
        ({"MOVELOG_LOG_URL": "redis-cluster://", "MOVELOG_REDIS_URL": REDIS}, "nodes of"),
        ({"MOVELOG_LOG_URL": "redis-cluster://a:0", "MOVELOG_REDIS_URL": REDIS}, "nodes of"),
        ({"MOVELOG_LOG_URL": "redis-cluster://a/1", "MOVELOG_REDIS_URL": REDIS}, "nodes of"),
        ({"MOVELOG_LOG_URL": "redis-cluster://a,b:x", "MOVELOG_REDIS_URL": REDIS}, "nodes of"),
        ({"MOVELOG_LOG_URL": "redis+sentinel://a/b"}, "MOVELOG_LOG_URL: needs MOVELOG_REDIS_URL"),
        ({"MOVELOG_LOG_URL": "redis+sentinel://a", "MOVELOG_REDIS_URL": REDIS}, "URL: Sentinels"),
        ({"MOVELOG_REPLICAS": "1"}, "MOVELOG_REPLICAS: needs MOVELOG_REDIS_URL"),
        ({"MOVELOG_REDIS_URL": "redis-cluster://a"}, "MOVELOG_REDIS_URL: a URL that begins with"),
    ],
)
def test_settings_that_cannot_be_are_refused(given: Mapping[str, str], reason: str) -> None:
    with pytest.raises(BadSetting, match=reason):
        read_settings(given)


def test_a_log_apart_is_all_there_is(
    compose: Callable[[Settings], Service], apart: Settings
) -> None:
    check_store(apart)
    service = compose(apart)
    make_first_admin(service)
    game = played_game(service)
    assert rebuild(service) == 1
    assert service.games.load(game).version > 1
    client: Any = service.log.redis.client
    ours = {key for key in client.scan_iter() if not key.startswith(b"movelog:{p")}
    assert ours <= {b"movelog:partitions", LOG_KEY.encode(), b"movelog:{archive}:log"}
    assert not list(service.store.scan_iter(match="movelog:{p*"))
    assert can_write_all(service.store, client, service.log.partitions)


def test_a_log_apart_that_has_no_room_says_so(
    compose: Callable[[Settings], Service], apart: Settings, full: Callable[[], None]
) -> None:
    service = compose(apart)
    client, partitions = service.log.redis.client, service.log.partitions
    assert can_write_all(service.store, client, partitions)
    full()
    assert not can_write_all(service.store, client, partitions)


@pytest.fixture
def full(request: pytest.FixtureRequest, apart: Settings) -> Iterator[Callable[[], None]]:
    """A function that leaves one of the log's masters no memory."""
    servers: list[Any]
    if apart.log_url and apart.log_url.startswith("redis-cluster"):
        cluster: RedisCluster = request.getfixturevalue("redis_cluster")
        servers = [*cluster.nodes]
    else:
        watched: Watched = request.getfixturevalue("watched")
        servers = [*watched.nodes]
    master = next(server for server in servers if server.is_master())
    yield lambda: master.ask("CONFIG", "SET", "maxmemory", 1)
    master.ask("CONFIG", "SET", "maxmemory", 0)


def test_a_backup_moves_a_log_to_a_place_of_its_own_and_back(
    compose: Callable[[Settings], Service],
    service: Service,
    apart: Settings,
    emptied: Callable[[], Settings],
    tmp_path: Path,
) -> None:
    make_first_admin(service)
    games = [played_game(service) for _ in range(4)]
    before = content(service)
    streams = back_up(service.settings, tmp_path / "one.gz", silent)
    emptied()
    # A restore that was broken off is begun again.
    service.store.set(RESTORING_KEY, "one.gz")
    with borrow_log(apart, service.store) as log:
        log.set("movelog:{p3}:game:x", "of a restore that was broken off")
    assert restore(apart, tmp_path / "one.gz", silent) == streams
    assert not service.store.exists(RESTORING_KEY)
    moved = compose(apart)
    assert content(moved) == before
    assert moved.log.feed_positions() != {}
    assert rebuild(moved) == len(games)
    assert back_up(apart, tmp_path / "two.gz", silent) == streams
    settings = emptied()
    assert restore(settings, tmp_path / "two.gz", silent) == streams
    assert content(compose(settings)) == before


def test_a_log_in_another_place_is_not_taken_for_an_empty_one(
    compose: Callable[[Settings], Service], service: Service, apart: Settings
) -> None:
    played_game(service)
    with_log = replace(service.settings, log_url=apart.log_url)
    with pytest.raises(LogElsewhere, match="MOVELOG_REDIS_URL has a log of its own"):
        compose(with_log)
    with pytest.raises(LogElsewhere):
        check_store(with_log)
    service.store.flushall()
    log: Any = compose(apart).log.redis.client
    played_game(compose(apart))
    with pytest.raises(LogElsewhere, match="name that place in MOVELOG_LOG_URL"):
        compose(replace(apart, log_url=None))
    log.flushall()
    with pytest.raises(LogElsewhere, match="was used with another log"):
        compose(apart)


def test_the_same_redis_is_not_apart(
    compose: Callable[[Settings], Service], on_sentinels: Settings, watched: Watched
) -> None:
    same = replace(on_sentinels, redis_url=watched.url)
    with pytest.raises(LogElsewhere, match="names the Redis of MOVELOG_REDIS_URL: leave it out"):
        check_store(same)
    assert watched.find_master().ask("DBSIZE") == 0
    with pytest.raises(LogElsewhere):
        compose(same)
    watched.find_master().ask("FLUSHALL")
    # Another database of that Redis counts as apart.
    other = replace(on_sentinels, redis_url=watched.url.removesuffix("0") + "1")
    assert played_game(compose(other))


def test_a_log_goes_on_at_the_new_master(
    compose: Callable[[Settings], Service],
    on_sentinels: Settings,
    watched: Watched,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nothing that a replica had is lost, and everything else stays where it was."""
    # On a busy machine a replica may take its time.
    monkeypatch.setattr("service.log.replication.PATIENCE", 60_000)
    url = f"{watched.url}?socket_timeout=90"
    service = compose(replace(on_sentinels, log_url=url, replicas=1))
    game = played_game(service)
    before, known = watched.find_master(), service.games.load(game).version
    watched.sentinels[0].ask("SENTINEL FAILOVER", NAME)
    eventually(lambda: not before.is_master(), "another one is the master")
    watched.wait_until_whole()
    assert service.games.load(game).version == known
    assert played_game(service) != game
    check_store(on_sentinels)
    assert before.ask("ROLE")[0] == b"slave"


def test_a_start_names_a_log_with_too_few_replicas(on_sentinels: Settings) -> None:
    lines: list[str] = []
    warn_of_unsafe_settings(replace(on_sentinels, replicas=2), lines.append)
    assert [line for line in lines if "refuses writes" in line] == [
        "warning: the Redis of MOVELOG_LOG_URL refuses writes: it needs 1 more of MOVELOG_REPLICAS"
    ]
