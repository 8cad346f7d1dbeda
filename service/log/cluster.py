"""A Redis Cluster: redis-py's client for it, and which of its nodes keeps what."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import redis
from redis.cluster import PRIMARY, ClusterNode
from redis.crc import key_slot
from redis.exceptions import MovedError, RedisClusterException

from service.store_urls import split_cluster


class LogCluster(redis.RedisCluster):
    """The client of a Redis Cluster that keeps a log; its failures are instances of RedisError.

    redis-py's own errors for a cluster that cannot be reached are not.
    """

    def __init__(self, **options: Any) -> None:
        # Set first, because `close` is called even if the client cannot be created.
        self._attached: list[Callable[[], None]] = []
        super().__init__(**options)

    def attach(self, end: Callable[[], None]) -> None:
        """Let `end` be called when this client is closed."""
        self._attached.append(end)

    def execute_command(self, *args: Any, **kwargs: Any) -> Any:
        """Carry out a command at the node of its key, with the client's retries."""
        with told_as_outage():
            return super().execute_command(*args, **kwargs)  # type: ignore[no-untyped-call]

    def close(self) -> None:
        """Close all connections; redis-py leaves those open that come from a pool given to it."""
        while self._attached:
            self._attached.pop()()
        super().close()
        self.disconnect_connection_pools()  # type: ignore[no-untyped-call]

    def find_node(self, key: str) -> ClusterNode:
        """Return the node that keeps a key, as far as this client knows."""
        with told_as_outage():
            return self.nodes_manager.get_node_from_slot(key_slot(key.encode()))

    def list_nodes(self) -> list[ClusterNode]:
        """Return the nodes that this client knows, masters and replicas."""
        return list(self.nodes_manager.nodes_cache.values())

    def list_masters(self) -> list[ClusterNode]:
        """Return the masters that this client knows."""
        return [node for node in self.list_nodes() if node.server_type == PRIMARY]

    def find_named(self, host: str, port: int) -> ClusterNode | None:
        """Return the node at this host and port, if this client knows it."""
        return self.nodes_manager.get_node(host, port)

    def follow(self, moved: MovedError) -> None:
        """Remember where a slot is now."""
        self.nodes_manager.move_slot(moved)

    def look_again(self, failed: str | None = None) -> None:
        """Ask which node keeps what; any node but `failed`, which has just failed.

        If no node answers, the previous knowledge is kept.
        """
        with suppress(redis.RedisError), told_as_outage():
            self.nodes_manager.initialize(last_failed_node_name=failed)


def open_cluster(url: str, connections: int, patience: float) -> LogCluster:
    """A client of the cluster whose nodes a URL names.

    It has at most `connections` to each node; a call for which none is free waits for `patience`
    seconds. Raises RedisError if no node can be reached.
    """
    servers = split_cluster(url)
    node: Any = ClusterNode
    with told_as_outage():
        return LogCluster(
            url=servers.first,
            startup_nodes=[node(*address) for address in servers.hosts[1:]],
            connection_pool_class=redis.BlockingConnectionPool,
            max_connections=connections,
            timeout=patience,
        )


def open_pool(cluster: LogCluster, node: ClusterNode) -> Any:
    """Return the pool of connections to a node."""
    return cluster.get_redis_connection(node).connection_pool


@contextmanager
def told_as_outage() -> Iterator[None]:
    """Raise redis.ConnectionError for a cluster that cannot be reached, at least in part."""
    try:
        yield
    except RedisClusterException as error:
        raise redis.ConnectionError(str(error)) from error
