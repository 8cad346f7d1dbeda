"""What keeps the log: the same Redis as everything else, or a separate Redis or Redis Cluster."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from uuid import uuid4

import redis

from service.log.cluster import LogCluster, open_cluster
from service.log.errors import LogElsewhere, UnfitCluster
from service.log.redis import PARTITIONS_KEY
from service.log.redis_exchange import LogClient, read_together
from service.settings import Settings
from service.storage.capacity import can_write, describe_full_storage
from service.storage.connections import PATIENCE, bound_connections, connect
from service.store_urls import has_sentinels

LOG_KEY: Final = "movelog:log"
"""The key of a separate log's random name, made when the log is begun; both stores have it."""

MASTERS: Final = 3
"""The number of masters by which a process divides its connections; a cluster may have more."""

FIRST_WITH_SHARDS: Final = 7
"""The first version of Redis that has sharded pub/sub; every Valkey has it."""


def connect_log(settings: Settings, store: redis.Redis) -> LogClient:
    """The client of what keeps the log: `store` unless the settings name another place.

    Raises RedisError if no node of that place can be reached, UnfitCluster, and LogElsewhere if
    `store` belongs to another log.
    """
    client = reach_log(settings, store)
    check_place(client, store)
    return client


@contextmanager
def borrow_log(settings: Settings, store: redis.Redis) -> Iterator[LogClient]:
    """The client as `reach_log` makes it, for as long as the context lasts."""
    client = reach_log(settings, store)
    try:
        yield client
    finally:
        if is_apart(client, store):
            client.close()


def is_apart(log: LogClient, store: redis.Redis) -> bool:
    """Whether the log is kept elsewhere than in `store`, which has all the rest."""
    return log is not store


def refuse_node(store: redis.Redis) -> None:
    """Raise UnfitCluster if `store` is a node of a cluster: it has only some of the keys."""
    try:
        found: Any = store.info("cluster")
    except redis.ResponseError:
        # The server does not say.
        return
    if found.get("cluster_enabled"):
        reason = "it is a node of a Redis Cluster, which can keep only the log (MOVELOG_LOG_URL)"
        raise UnfitCluster(f"MOVELOG_REDIS_URL: {reason}")


def reach_log(settings: Settings, store: redis.Redis) -> LogClient:
    """The same client without a check of what it holds; raises RedisError and UnfitCluster."""
    refuse_node(store)
    if settings.log_url is None:
        return store
    if has_sentinels(settings.log_url):
        return connect(settings.log_url, settings)
    most = -(-bound_connections(settings) // MASTERS)
    cluster = open_cluster(settings.log_url, most, PATIENCE)
    version = cluster.info("server", target_nodes=cluster.RANDOM)["redis_version"]
    if int(re.split(r"\D", version)[0]) < FIRST_WITH_SHARDS:
        reason = "has no sharded pub/sub; use Redis 7 or newer, or any Valkey"
        raise UnfitCluster(f"MOVELOG_LOG_URL: Redis {version} {reason}")
    return cluster


def refuse_same(log: redis.Redis, store: redis.Redis) -> None:
    """Raise LogElsewhere if both are the same database: the log would not be separate."""
    try:
        servers: list[Any] = [client.info("server")["run_id"] for client in (log, store)]
    except redis.ResponseError:
        # The server does not say.
        return
    databases = [client.connection_pool.connection_kwargs.get("db") or 0 for client in (log, store)]
    if len({*zip(servers, databases, strict=True)}) == 1:
        reason = "MOVELOG_LOG_URL names the Redis of MOVELOG_REDIS_URL: leave it out"
        raise LogElsewhere(reason)


def check_place(log: LogClient, store: redis.Redis) -> None:
    """Raise LogElsewhere unless what keeps the log and `store` belong together.

    Without this check, a log that was moved to another place, or lost, would look like a new one.
    """
    noted: Any = store.get(LOG_KEY)
    if not is_apart(log, store):
        if noted is not None:
            reason = "the log of MOVELOG_REDIS_URL is elsewhere: name that place in MOVELOG_LOG_URL"
            raise LogElsewhere(reason)
        return
    if isinstance(log, redis.Redis):
        refuse_same(log, store)
    if store.exists(PARTITIONS_KEY):
        reason = "MOVELOG_REDIS_URL has a log of its own: back it up without MOVELOG_LOG_URL"
        raise LogElsewhere(f"{reason}, and restore it into empty stores with it")
    if noted is None:
        log.set(LOG_KEY, uuid4().hex, nx=True)
        store.set(LOG_KEY, log.get(LOG_KEY) or b"", nx=True)
        noted = store.get(LOG_KEY)
    if noted != log.get(LOG_KEY):
        reason = "MOVELOG_REDIS_URL was used with another log than that of MOVELOG_LOG_URL"
        raise LogElsewhere(reason)


def list_servers(log: LogClient) -> list[redis.Redis]:
    """Clients of the servers that keep the log: one, or the masters of a cluster."""
    if not isinstance(log, LogCluster):
        return [log]
    return [log.get_redis_connection(node) for node in log.list_masters()]


def name_servers(
    log: LogClient, store: redis.Redis, *, replicas: bool = False
) -> dict[str, redis.Redis]:
    """The same by names that operators know; with `replicas`, a cluster's replicas as well."""
    if not isinstance(log, LogCluster):
        setting = "MOVELOG_LOG_URL" if is_apart(log, store) else "MOVELOG_REDIS_URL"
        return {f"the Redis of {setting}": log}
    return {
        f"the node {node.name} of MOVELOG_LOG_URL": log.get_redis_connection(node)
        for node in (log.list_nodes() if replicas else log.list_masters())
    }


def can_write_all(store: redis.Redis, log: LogClient, partitions: int) -> bool:
    """Whether both accept writes at this moment, the log in every partition.

    Raises RedisError if they cannot be reached.
    """
    if not can_write(store):
        return False
    if not is_apart(log, store):
        return True
    # It adds nothing to a stream that does not exist, yet a server without room refuses it.
    probe = ("NOMKSTREAM", "*", "", "")
    keys = [f"movelog:{{p{partition}}}:probe" for partition in range(partitions)]
    try:
        read_together(log, [("XADD", key, *probe) for key in keys])
    except redis.RedisError as error:
        if describe_full_storage(error) is None:
            raise
        return False
    return True
