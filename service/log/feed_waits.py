"""Waits for new pointers in the feeds of a log in Redis.

One server is waited for with a blocking read of only the requested feeds, a cluster by notices.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

import redis

from service.log.cluster import LogCluster
from service.log.cluster_exchange import read_answer
from service.log.confirmed_feed import ConfirmedFeed
from service.log.feed_notices import FeedNotices
from service.log.redis_exchange import LogClient, raise_first, read_together
from service.log.redis_forms import decode_pointers, name_feed
from service.log.values import Pointer
from service.log.wake import Wake

PAGE: Final = 500
"""The most pointers of a partition that a wait returns."""
LONGEST: Final = 2.0
"""The most seconds that a wait blocks: well below the 5 after which redis-py gives up."""


class FeedWaits:
    """Waits for pointers in feeds; thread-safe."""

    def __init__(self, client: LogClient, replicas: int) -> None:
        self.client = client
        self._confirmed = ConfirmedFeed(client, replicas)
        self._notices = FeedNotices(client) if isinstance(client, LogCluster) else None
        limit = client.get_connection_kwargs().get("socket_timeout")
        # A blocking read must be over before the client gives up on its answer.
        self._longest = min(LONGEST, limit / 2) if limit else LONGEST

    def wait(
        self,
        after: Mapping[int, str],
        timeout: float,
        wake: Wake | None = None,
        name: Callable[[int], str] | None = None,
    ) -> tuple[list[tuple[int, Pointer]], dict[int, bytes | None]]:
        """Wait for pointers after the positions given by partition, as `EventLog.wait` does.

        With `name`, the values of the keys that it names are returned as well, for each partition
        with news, as of when its feed had been read.
        """
        wake, timeout = wake or Wake(), min(timeout, self._longest)
        if self._notices is not None:
            grown = self._notices.wait(after, timeout, wake)
            reads = [("XRANGE", name_feed(p), f"({after[p]}", "+", "COUNT", PAGE) for p in grown]
            keys = [("GET", name(p)) for p in grown] if name else []
            answers = read_together(self._notices.cluster, [*reads, *keys])
            found, values = answers[: len(grown)], answers[len(grown) :]
        else:
            grown, found, values = self._read(after, max(1, int(timeout * 1000)), wake, name)
        came = [
            (p, each) for p, own in zip(grown, found, strict=True) for each in decode_pointers(own)
        ]
        confirmed = self._confirmed.keep_confirmed(came)
        told = {partition for partition, _ in confirmed}
        beside = {p: value for p, value in zip(grown, values, strict=False) if p in told}
        return confirmed, beside

    def _read(
        self,
        after: Mapping[int, str],
        milliseconds: int,
        wake: Wake,
        name: Callable[[int], str] | None,
    ) -> tuple[list[int], list[Any], list[bytes | None]]:
        """Wait at the server; returns the partitions with news, their entries, and the values.

        Everything is requested at once: while the first read blocks, the second has to wait.
        """
        assert isinstance(self.client, redis.Redis)
        feeds = {name_feed(partition).encode(): partition for partition in after}
        block = ("COUNT", PAGE, "BLOCK", milliseconds)
        commands: list[Sequence[Any]] = [("XREAD", *block, "STREAMS", *feeds, *after.values())]
        if name is not None:
            commands.append(("MGET", *map(name, after)))
        unblock = self.client.client_unblock
        pool = self.client.connection_pool
        connection: Any = pool.get_connection()

        def exchange() -> list[Any]:
            asked = connection.pack_commands([("CLIENT", "ID"), *commands])
            connection.send_packed_command([b"".join(asked)])
            id = read_answer(connection)
            # If the user may not read the id, the wait cannot be ended early.
            end = partial(unblock, id) if isinstance(id, int) else lambda: None
            with wake.ending(end):
                return [read_answer(connection) for _ in commands]

        def fail(error: Exception) -> None:
            connection.disconnect()

        try:
            answers = raise_first(connection.retry.call_with_retry(exchange, fail))
        finally:
            pool.release(connection)
        # The third protocol has a map in place of the second's list of pairs.
        came = answers[0].items() if isinstance(answers[0], dict) else answers[0] or ()
        news = {feeds[feed]: entries for feed, entries in came}
        beside = dict(zip(after, answers[1], strict=True)) if name is not None else {}
        return list(news), list(news.values()), [beside[p] for p in news if p in beside]
