"""A log in a Redis Cluster: which clusters are fit for it, and warnings about their nodes."""

from __future__ import annotations

from dataclasses import replace

import pytest
import redis

from service.composition.log_store import connect_log
from service.log.errors import UnfitCluster
from service.operations.serving import check_store, warn_of_unsafe_settings
from service.settings import Settings
from tests.service.redis_cluster import RedisCluster


def test_a_server_that_is_no_cluster_is_refused(
    settings: Settings, redis_cluster: RedisCluster
) -> None:
    with redis.Redis.from_url(settings.redis_url) as store:
        with pytest.raises(redis.ConnectionError, match="one reachable node"):
            connect_log(replace(settings, log_url="redis-cluster://127.0.0.1:1"), store)
        # Nor can a node of a cluster be the Redis of everything else.
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
    told = [line for line in lines if "refuses writes" in line]
    assert told[0] == (
        "warning: the Redis of MOVELOG_REDIS_URL refuses writes: it needs 2 more of"
        " MOVELOG_REPLICAS"
    )
    assert len(told) == 1 + redis_cluster.masters
    assert all("of MOVELOG_LOG_URL refuses writes: it needs 1 more" in line for line in told[1:])
    lines.clear()
    warn_of_unsafe_settings(replace(clustered, replicas=1), lines.append)
    assert not [line for line in lines if "refuses writes" in line]


def test_nodes_that_may_lose_the_log_are_named(
    clustered: Settings, redis_cluster: RedisCluster
) -> None:
    # The other nodes drop a replica that had no processor time for a while.
    redis_cluster.wait_until_whole()
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
