"""A log in a Redis Cluster beside the Redis of everything else: where it is, and its backups."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
import redis

from service.composition.log_store import LOG_KEY, can_write_all, connect_log
from service.composition.projector import rebuild
from service.composition.service import Service
from service.composition.service import compose as compose_service
from service.environment import BadSetting
from service.log.errors import LogElsewhere, UnfitCluster
from service.log.values import Recorded, StreamId
from service.operations.admin import make_first_admin
from service.operations.backup import back_up
from service.operations.restore import RESTORING_KEY, restore
from service.operations.serving import check_store, warn_of_unsafe_settings
from service.settings import Settings, read_settings
from tests.service.operations.test_backup import played_game, silent
from tests.service.redis_cluster import RedisCluster

REDIS = "redis://127.0.0.1:6379"


@pytest.fixture
def compose() -> Iterator[Callable[[Settings], Service]]:
    """A function that puts a service together; its connections are ended in the end."""
    made: list[Service] = []

    def compose(settings: Settings) -> Service:
        made.append(compose_service(settings))
        return made[-1]

    yield compose
    for service in made:
        service.log.redis.client.close()
        service.store.close()


def content(service: Service) -> Mapping[StreamId, tuple[list[Recorded], Mapping[str, str]]]:
    """All events of a service, and what stands beside them."""
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
        ({"MOVELOG_REPLICAS": "1"}, "MOVELOG_REPLICAS: needs MOVELOG_REDIS_URL"),
        ({"MOVELOG_REDIS_URL": "redis-cluster://a"}, "MOVELOG_REDIS_URL: a URL that begins with"),
    ],
)
def test_settings_that_cannot_be_are_refused(given: Mapping[str, str], reason: str) -> None:
    with pytest.raises(BadSetting, match=reason):
        read_settings(given)


def test_a_cluster_keeps_the_log_and_nothing_else(
    compose: Callable[[Settings], Service], clustered: Settings, redis_cluster: RedisCluster
) -> None:
    check_store(clustered)
    service = compose(clustered)
    make_first_admin(service)
    game = played_game(service)
    assert rebuild(service) == 1
    assert service.games.load(game).version > 1
    client = redis_cluster.client()
    ours = {key for key in client.scan_iter() if not key.startswith(b"movelog:{p")}
    assert ours <= {b"movelog:partitions", LOG_KEY.encode(), b"movelog:{archive}:log"}
    assert not list(service.store.scan_iter(match="movelog:{p*"))
    assert can_write_all(service.store, service.log.redis.client, service.log.partitions)


def test_a_cluster_that_has_no_room_says_so(
    compose: Callable[[Settings], Service], clustered: Settings, redis_cluster: RedisCluster
) -> None:
    service = compose(clustered)
    full = next(node for node in redis_cluster.nodes if node.is_master())
    full.ask("CONFIG", "SET", "maxmemory", 1)
    try:
        assert not can_write_all(service.store, service.log.redis.client, service.log.partitions)
    finally:
        full.ask("CONFIG", "SET", "maxmemory", 0)


def test_a_backup_moves_a_log_into_a_cluster_and_out_again(
    compose: Callable[[Settings], Service],
    service: Service,
    clustered: Settings,
    emptied: Callable[[], Settings],
    redis_cluster: RedisCluster,
    tmp_path: Path,
) -> None:
    make_first_admin(service)
    games = [played_game(service) for _ in range(4)]
    before = content(service)
    streams = back_up(service.settings, tmp_path / "one.gz", silent)
    emptied()
    # One that was broken off is begun again.
    service.store.set(RESTORING_KEY, "one.gz")
    redis_cluster.client().set("movelog:{p3}:game:x", "of a restore that was broken off")
    assert restore(clustered, tmp_path / "one.gz", silent) == streams
    assert not service.store.exists(RESTORING_KEY)
    moved = compose(clustered)
    assert content(moved) == before
    assert moved.log.feed_positions() != {}
    assert rebuild(moved) == len(games)
    assert back_up(clustered, tmp_path / "two.gz", silent) == streams
    settings = emptied()
    assert restore(settings, tmp_path / "two.gz", silent) == streams
    assert content(compose(settings)) == before


def test_a_log_in_another_place_is_not_taken_for_an_empty_one(
    compose: Callable[[Settings], Service],
    service: Service,
    clustered: Settings,
    redis_cluster: RedisCluster,
) -> None:
    played_game(service)
    with_cluster = replace(service.settings, log_url=clustered.log_url)
    with pytest.raises(LogElsewhere, match="MOVELOG_REDIS_URL has a log of its own"):
        compose(with_cluster)
    with pytest.raises(LogElsewhere):
        check_store(with_cluster)
    service.store.flushall()
    played_game(compose(clustered))
    with pytest.raises(LogElsewhere, match="name that in MOVELOG_LOG_URL"):
        compose(replace(clustered, log_url=None))
    redis_cluster.flush()
    with pytest.raises(LogElsewhere, match="was used with another cluster"):
        compose(clustered)


def test_a_server_that_is_no_cluster_is_refused(
    settings: Settings, redis_cluster: RedisCluster
) -> None:
    with redis.Redis.from_url(settings.redis_url) as store:
        with pytest.raises(redis.ConnectionError, match="one reachable node"):
            connect_log(replace(settings, log_url="redis-cluster://127.0.0.1:1"), store)
        # Nor does one node of a cluster stand in for the Redis of everything else.
        url = f"redis://127.0.0.1:{redis_cluster.nodes[0].port}"
        with pytest.raises(
            UnfitCluster, match="MOVELOG_REDIS_URL: it is a node of a Redis Cluster"
        ):
            check_store(replace(settings, redis_url=url, queue_url=url))


def test_a_start_tells_of_masters_with_too_few_replicas(
    settings: Settings, clustered: Settings, redis_cluster: RedisCluster
) -> None:
    lines: list[str] = []
    for each in (settings, clustered):
        warn_of_unsafe_settings(replace(each, replicas=2), lines.append)
    told = [line for line in lines if "takes no writes" in line]
    assert told[0] == (
        "warning: the Redis of MOVELOG_REDIS_URL takes no writes: it needs 2 more of"
        " MOVELOG_REPLICAS"
    )
    assert len(told) == 1 + redis_cluster.masters
    assert all("of MOVELOG_LOG_URL takes no writes: it needs 1 more" in line for line in told[1:])
    lines.clear()
    warn_of_unsafe_settings(replace(clustered, replicas=1), lines.append)
    assert not [line for line in lines if "takes no writes" in line]


def test_nodes_that_may_lose_the_log_are_named(
    clustered: Settings, redis_cluster: RedisCluster
) -> None:
    node = redis_cluster.nodes[-1]
    with redis.Redis.from_url(clustered.redis_url) as store:
        store.config_set("appendonly", "yes")
        node.ask("CONFIG", "SET", "appendonly", "no")
        try:
            lines: list[str] = []
            warn_of_unsafe_settings(clustered, lines.append)
        finally:
            store.config_set("appendonly", "no")
            node.ask("CONFIG", "SET", "appendonly", "yes")
    assert lines == [
        f"warning: the node 127.0.0.1:{node.port} of MOVELOG_LOG_URL may lose games (appendonly"
        " no); it must run with appendonly yes"
    ]
