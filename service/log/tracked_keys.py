"""Keys of a Redis whose changes it reports to this process (CLIENT TRACKING), in order.

The server reports on the same connection which tracked keys were changed, in the order of the
changes. So a client that has sent a PING and read its answer knows of all changes made before that.
It takes one short request however many keys matter, and nothing is ever out of date.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from threading import Lock
from typing import Any, Final

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.log.redis_exchange import LogClient

PING: Final = b"*1\r\n$4\r\nPING\r\n"
MOST: Final = 100_000
"""The most keys that are tracked; beyond that, all are forgotten."""
NEVER: Final = float("inf")


class TrackedKeys:
    """Knows since when each key has been tracked without a change. Safe for threads and greenlets.

    Times are counts, which increase with each request that begins to track keys.
    """

    def __init__(self, client: redis.Redis) -> None:
        self._pool = client.connection_pool
        self._connection: Any = None
        self._turn = Lock()
        self._since: dict[str, int] = {}
        self._asked = 0
        self._answered = 0
        self._failed = 0
        self.now = 0

    def hold(self, keys: Iterable[str], since: int) -> bool:
        """Whether nothing has changed these keys from time `since` until the last `catch_up`.

        False for a key that was not tracked then.
        """
        known = self._since
        return all(known.get(key, NEVER) <= since for key in keys)

    def catch_up(self) -> None:
        """Learn of everything that was changed before this call. Raises redis.RedisError.

        Concurrent callers share one request, which is sent after all of them have called.
        """
        self._asked = ticket = self._asked + 1
        with self._turn:
            if self._failed >= ticket:
                # Callers that wait do not each try again what has just failed.
                raise redis.ConnectionError("the store did not answer the request before this one")
            if self._answered >= ticket:
                return
            covered = self._asked
            try:
                self._exchange(PING, 1)
            except redis.RedisError:
                self._failed = covered
                raise
            self._answered = covered

    def track(self, keys: Collection[str]) -> None:
        """Track from now on the keys that are not tracked yet, whether or not they exist.

        Raises redis.RedisError.
        """
        with self._turn:
            missing = [key for key in keys if key not in self._since]
            if missing:
                if len(self._since) + len(missing) > MOST:
                    self._since.clear()
                packed = self._connect().pack_command("EXISTS", *missing)
                self._exchange(b"".join(packed), 1)
                self.now += 1
                self._since |= dict.fromkeys(missing, self.now)

    def close(self) -> None:
        """Close the connection; nothing is tracked any more."""
        self._since.clear()
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.disconnect()

    def _exchange(self, packed: bytes, answers: int) -> None:
        """Send a request, and read its answer and the reports that precede it."""
        connection = self._connect()
        try:
            connection.send_packed_command([packed], check_health=False)
            for _ in range(answers):
                connection.read_response()
        except BaseException:
            # Nobody would read further reports on this connection.
            self.close()
            raise

    def _connect(self) -> Any:
        """The connection on which the server tracks; a new one tracks no keys."""
        if self._connection is None:
            self._since.clear()
            kind, given = self._pool.connection_class, self._pool.connection_kwargs
            # Callers can go on without it, so they need not wait for retries.
            own = {"protocol": 3, "retry": Retry(NoBackoff(), 0)}
            connection: Any = kind(**{**given, **own})
            connection.connect()
            connection._parser.set_invalidation_push_handler(self._forget)
            connection.send_command("CLIENT", "TRACKING", "ON")
            connection.read_response()
            self._connection = connection
        return self._connection

    def _forget(self, message: Any) -> None:
        """Forget the keys that were changed, or all of them if the server says so."""
        changed = message[1]
        if changed is None:
            self._since.clear()
            return
        for key in changed:
            self._since.pop(key.decode() if isinstance(key, bytes) else key, None)


def find_tracked(client: LogClient) -> TrackedKeys | None:
    """The tracked keys of a server; None for a cluster, or if Sentinels name the master."""
    if not isinstance(client, redis.Redis) or "connection_pool" in _options(client):
        return None
    return TrackedKeys(client)


def _options(client: redis.Redis) -> dict[str, Any]:
    options: dict[str, Any] = client.connection_pool.connection_kwargs
    return options
