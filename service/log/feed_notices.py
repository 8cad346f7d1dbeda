"""Notices that feeds have grown: sharded pub/sub of a Redis Cluster.

The append script publishes a feed's new position on its partition's channel. A notice can be lost
unnoticed with its node or its connection. So feeds are also read when a channel is subscribed to,
and from time to time.
"""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Iterable, Mapping
from typing import Any, Final
from weakref import finalize

import redis

from service.log.cluster import LogCluster, open_pool
from service.log.cluster_exchange import OUTAGES
from service.log.feed_range import parse_position
from service.log.interface import FEED_START
from service.log.redis_exchange import read_together
from service.log.redis_forms import name_feed, name_news
from service.log.wake import Wake

LOOK_AGAIN: Final = 2.0
"""Seconds after which feeds are read whether or not there were notices."""


class FeedNotices:
    """Waits for notices; thread-safe."""

    def __init__(self, cluster: LogCluster) -> None:
        self.cluster = cluster
        self._idle: list[Listener] = []
        cluster.attach(self.close)

    def wait(self, after: Mapping[int, str], timeout: float, wake: Wake) -> list[int]:
        """Wait until feeds have grown beyond the positions given by partition; returns which.

        Returns none if that takes longer than `timeout` seconds or `wake` is called. Raises
        RedisError.
        """
        try:
            listener = self._idle.pop()
        except IndexError:
            listener = Listener(self.cluster)
        try:
            listener.silence()
            with wake.ending(listener.ring):
                grown = listener.wait(after, timeout)
        except BaseException:
            listener.close()
            raise
        self._idle.append(listener)
        return grown

    def close(self) -> None:
        """Close the connections of listeners that are not waiting."""
        while self._idle:
            self._idle.pop().close()


class Listener:
    """Connections that are subscribed to channels: one to each node that has any of them."""

    def __init__(self, cluster: LogCluster) -> None:
        self.cluster = cluster
        self._connections: dict[str, Any] = {}
        self._subscribed: dict[int, str] = {}
        """The node whose connection is subscribed to each partition's channel."""
        self._newest: dict[int, str] = {}
        self._looked_at = 0.0
        self._rung = False
        self._bell, self._cord = socket.socketpair()
        self._bell.setblocking(False)
        # Also where a client is dropped without being closed, in whatever order its parts go.
        self.close = finalize(self, _close_all, self._connections, self._bell, self._cord)
        """Ends all connections."""

    def ring(self) -> None:
        """End the current wait, from another thread."""
        self._rung = True
        self._cord.send(b"!")

    def silence(self) -> None:
        """Forget that the last wait was ended."""
        if self._rung:
            self._rung = False
            self._bell.recv(1 << 10)

    def wait(self, after: Mapping[int, str], timeout: float) -> list[int]:
        """Wait as `FeedNotices.wait` does."""
        begun = time.monotonic()
        until = begun + timeout
        self._leave(self._subscribed.keys() - after.keys())
        while True:
            fresh = self._subscribe(after)
            now = time.monotonic()
            # Whatever existed before this wait is found, however short the wait is.
            is_last = now >= until and self._looked_at < begun
            if is_last or now - self._looked_at >= LOOK_AGAIN:
                self._looked_at = now
                self._look(after)
            elif fresh:
                self._look(fresh)
            grown = [p for p, at in after.items() if self._has_beyond(p, at)]
            if grown or self._rung or now >= until:
                return grown
            self._listen(min(until, self._looked_at + LOOK_AGAIN) - now)

    def _subscribe(self, partitions: Iterable[int]) -> list[int]:
        """Subscribe to the channels of these partitions at their nodes; returns those newly added.

        When this returns, the subscriptions are active: notices from then on are not missed.
        """
        fresh = {}
        for partition in partitions:
            node = self.cluster.find_node(name_news(partition))
            if self._subscribed.get(partition) != node.name:
                fresh[partition] = node
        if not fresh:
            return []
        self._leave(self._subscribed.keys() & fresh.keys())
        for partition, node in fresh.items():
            self._connect(node).send_command("SSUBSCRIBE", name_news(partition))
        until = time.monotonic() + LOOK_AGAIN
        while missing := fresh.keys() - self._subscribed.keys():
            # If this process stood still, the answers have come meanwhile.
            is_late = time.monotonic() > until
            self._listen(0.0 if is_late else LOOK_AGAIN)
            if fresh[min(missing)].name not in self._connections:
                raise redis.ConnectionError("a node of the cluster has ended the connection")
            if is_late and missing == fresh.keys() - self._subscribed.keys():
                raise redis.TimeoutError(f"{len(missing)} channels cannot be subscribed to")
        return list(fresh)

    def _has_beyond(self, partition: int, position: str) -> bool:
        return parse_position(self._newest[partition]) > parse_position(position)

    def _leave(self, partitions: Iterable[int]) -> None:
        """Cancel the subscriptions to the channels of these partitions."""
        for partition in list(partitions):
            connection = self._connections.get(self._subscribed.pop(partition))
            if connection is not None:
                connection.send_command("SUNSUBSCRIBE", name_news(partition))

    def _look(self, partitions: Iterable[int]) -> None:
        """Read the newest positions of these partitions' feeds."""
        asked = list(partitions)
        commands = [("XREVRANGE", name_feed(p), "+", "-", "COUNT", 1) for p in asked]
        for partition, entries in zip(asked, read_together(self.cluster, commands), strict=True):
            self._newest[partition] = entries[0][0].decode() if entries else FEED_START

    def _listen(self, seconds: float) -> None:
        """Handle the first notices that arrive within this time."""
        names = {c._sock.fileno(): name for name, c in self._connections.items()}
        waiting = select.poll()
        for number in (*names, self._bell.fileno()):
            waiting.register(number, select.POLLIN)
        for number, _ in waiting.poll(max(0.0, seconds) * 1000):
            if number in names:
                self._take(names[number])

    def _take(self, name: str) -> None:
        """Handle all that a node has sent; a connection that fails is dropped."""
        connection = self._connections[name]
        try:
            while connection.can_read(timeout=0):
                self._note(name, connection.read_response())
        except redis.ResponseError:
            # The channel is now at another node.
            self._drop(name)
            self.cluster.look_again()
        except OUTAGES:
            self._drop(name)
            self.cluster.look_again(name)

    def _note(self, name: str, told: Any) -> None:
        kind, channel, value = told
        partition = int(channel.partition(b"{p")[2].partition(b"}")[0])
        if kind == b"smessage":
            self._newest[partition] = value.decode()
        elif kind == b"ssubscribe":
            self._subscribed[partition] = name
        elif self._subscribed.get(partition) == name:
            # It was not cancelled here: the slot has left the node.
            del self._subscribed[partition]
            self.cluster.look_again()

    def _connect(self, node: Any) -> Any:
        if node.name not in self._connections:
            pool = open_pool(self.cluster, node)
            # In the second protocol, answers and notices are distinguished by their content.
            options = {**pool.connection_kwargs, "protocol": 2}
            connection = pool.connection_class(**options)
            connection.connect()
            self._connections[node.name] = connection
        return self._connections[node.name]

    def _drop(self, name: str) -> None:
        self._connections.pop(name).disconnect()
        for partition in [p for p, node in self._subscribed.items() if node == name]:
            del self._subscribed[partition]


def _close_all(connections: dict[str, Any], *sockets: socket.socket) -> None:
    while connections:
        connections.popitem()[1].disconnect()
    for one in sockets:
        one.close()
