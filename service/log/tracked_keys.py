"""Keys of a Redis whose changes it tells this process of (CLIENT TRACKING), in order.

The server says on the same connection which tracked keys were changed, in the order in which it
did so. So whoever has sent a PING and read its answer knows of all changes made before that: one
short question, however many keys matter, and nothing is a moment out of date.
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
"""Keys that are tracked at most; then all are forgotten."""
NEVER: Final = float("inf")


class TrackedKeys:
    """Knows since when each key is tracked without a change. Safe for threads and greenlets.

    Times are counts, which go up with each question that begins to track keys.
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
        """Whether nothing has changed these keys from the time `since` until the last `catch_up`.

        False for a key that was not tracked then.
        """
        known = self._since
        return all(known.get(key, NEVER) <= since for key in keys)

    def catch_up(self) -> None:
        """Learn of all that was changed before this call. Raises redis.RedisError.

        Those who call at the same time share a question that was sent after all had called.
        """
        self._asked = ticket = self._asked + 1
        with self._turn:
            if self._failed >= ticket:
                # Many who wait do not try one after the other what does not work.
                raise redis.ConnectionError("the store did not answer whoever asked before")
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
        """Track those of these keys that are not tracked yet, from now on, whether they exist.

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
        """End the connection; nothing is tracked any more."""
        self._since.clear()
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.disconnect()

    def _exchange(self, packed: bytes, answers: int) -> None:
        """Send a question and read what the server has told before its answer."""
        connection = self._connect()
        try:
            connection.send_packed_command([packed], check_health=False)
            for _ in range(answers):
                connection.read_response()
        except BaseException:
            # What was told on it from now on would be told to nobody.
            self.close()
            raise

    def _connect(self) -> Any:
        """The connection, on which the server tracks; a new one knows of no key."""
        if self._connection is None:
            self._since.clear()
            kind, given = self._pool.connection_class, self._pool.connection_kwargs
            # Who goes on without it need not wait until it works.
            own = {"protocol": 3, "retry": Retry(NoBackoff(), 0)}
            connection: Any = kind(**{**given, **own})
            connection.connect()
            connection._parser.set_invalidation_push_handler(self._forget)
            connection.send_command("CLIENT", "TRACKING", "ON")
            connection.read_response()
            self._connection = connection
        return self._connection

    def _forget(self, message: Any) -> None:
        """Forget the keys that were changed; all of them where the server says so."""
        changed = message[1]
        if changed is None:
            self._since.clear()
            return
        for key in changed:
            self._since.pop(key.decode() if isinstance(key, bytes) else key, None)


def find_tracked(client: LogClient) -> TrackedKeys | None:
    """The tracked keys of a server; None for a cluster, and where Sentinels name the master."""
    if not isinstance(client, redis.Redis) or "connection_pool" in _options(client):
        return None
    return TrackedKeys(client)


def _options(client: redis.Redis) -> dict[str, Any]:
    options: dict[str, Any] = client.connection_pool.connection_kwargs
    return options
