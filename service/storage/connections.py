"""Connections to Redis: at most as many as a process may hold; further requests wait for one."""

from __future__ import annotations

from queue import Empty
from socket import MSG_PEEK
from typing import Any, Final

import redis

from service.settings import Settings
from service.storage.open_files import bound_redis_connections, read_file_limit
from service.storage.sentinel import make_pool
from service.store_urls import has_sentinels

PATIENCE: Final = 30.0
"""Seconds to wait for a free connection before the store counts as down."""


class ConnectionPool(redis.BlockingConnectionPool):
    """redis-py's pool, without the metrics that it collects about itself.

    redis-py also has gevent's loop poll each connection that is used again, which took a tenth of
    the cost of a submitted move. Here the system is asked.
    """

    def get_connection(self, command_name: object = None, *keys: Any, **options: Any) -> Any:
        """A connection to send to, possibly after a wait; raises redis.ConnectionError."""
        self._checkpid()
        try:
            connection: Any = self.pool.get(timeout=self.timeout)
        except Empty:
            raise redis.ConnectionError("No connection available.") from None
        if connection is None:
            connection = self.make_connection()  # type: ignore[no-untyped-call]
        try:
            if connection._sock is not None and not is_ready(connection):
                connection.disconnect()
            if connection._sock is None:
                connection.connect()
        except BaseException:
            self.release(connection)
            raise
        return connection

    def release(self, connection: Any) -> None:
        """Take a connection back."""
        self._checkpid()
        if connection.should_reconnect() or not self.owns_connection(connection):
            super().release(connection)  # type: ignore[no-untyped-call]
        else:
            self.pool.put_nowait(connection)


def is_ready(connection: Any) -> bool:
    """Whether an open connection can be sent to: there is nothing to read, and it is not closed."""
    # The real socket inside gevent's does not wait.
    inner = getattr(connection._sock, "_sock", None)
    if inner is None or isinstance(connection, redis.SSLConnection):
        return is_ready_by_poll(connection)
    if connection._parser._reader.has_data():
        return False
    try:
        inner.recv(1, MSG_PEEK)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def is_ready_by_poll(connection: Any) -> bool:
    """The same check as redis-py makes it."""
    try:
        return not connection.can_read()
    except (redis.ConnectionError, redis.TimeoutError, OSError):
        return False


def connect(url: str, settings: Settings) -> redis.Redis:
    """A client of the Redis at this URL.

    Hundreds of requests at once share `settings.redis_connections` connections, or fewer if the
    process may open few files. A request that finds none free waits for its turn, at most PATIENCE
    seconds (then redis.ConnectionError).
    """
    most = bound_connections(settings)
    options = {"max_connections": most, "timeout": PATIENCE}
    if has_sentinels(url):
        # redis-py's own pool has each connection check whether its server is still the master.
        return redis.Redis.from_pool(make_pool(redis.BlockingConnectionPool, url, **options))
    return redis.Redis.from_pool(ConnectionPool.from_url(url, **options))


def open_store(url: str) -> redis.Redis:
    """A client of the Redis at this URL for a command, or for a separate thread."""
    if has_sentinels(url):
        return redis.Redis.from_pool(make_pool(redis.ConnectionPool, url))
    return redis.Redis.from_url(url)


def bound_connections(settings: Settings) -> int:
    """The most connections to one store that a process holds."""
    return bound_redis_connections(read_file_limit(), settings.redis_connections)
