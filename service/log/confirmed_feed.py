"""Feeds, as far as replicas have them.

What a follower makes from a pointer (rows of lists, jobs, mails) remains when the pointer is lost
in a failover. So it gets only pointers that a failover keeps.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Final

import redis
from redis.exceptions import OutOfMemoryError, ResponseError

from service.log.feed_range import parse_position
from service.log.interface import FEED_START
from service.log.redis_exchange import LogClient, run_once
from service.log.redis_forms import name_confirmed, name_feed
from service.log.replication import TooFewReplicas
from service.log.values import Pointer

CONFIRM: Final = """
redis.call('SET', KEYS[1], '')
return #redis.call('XRANGE', KEYS[2], ARGV[1], ARGV[1])
"""
"""A write to wait for (WAIT counts the replicas that have its own connection's last write), and
whether this server's feed has the position: another server may have been read."""

PAUSE: Final = 0.2
"""Seconds of pause before fewer pointers are returned: a server may refuse to wait at once."""


class ConfirmedFeed:
    """Knows how far each partition's feed is on at least `replicas` replicas; thread-safe."""

    def __init__(self, client: LogClient, replicas: int) -> None:
        self.client = client
        self.replicas = replicas
        self._confirmed: dict[int, str] = {}

    def keep_confirmed(self, came: list[tuple[int, Pointer]]) -> list[tuple[int, Pointer]]:
        """The pointers that replicas have; they are in order for each partition.

        Returns all of them if the store has no room to write, because then none is new. Raises
        redis.ConnectionError if a server gave them that has lost its place to a replica: what was
        appended there meanwhile would be skipped.
        """
        if not self.replicas or not (newest := self._find_unconfirmed(came)):
            return came
        try:
            calls = [(2, name_confirmed(p), name_feed(p), at) for p, at in newest.items()]
            is_there = run_once(self.client, CONFIRM, calls, self.replicas)
        except TooFewReplicas:
            return self._drop_unconfirmed(came)
        except ResponseError as error:
            if "NOREPLICAS" in str(error):
                return self._drop_unconfirmed(came)
            if isinstance(error, OutOfMemoryError) or "MISCONF" in str(error):
                return came
            raise
        if not all(is_there):
            read = ", ".join(newest.values())
            raise redis.ConnectionError(f"{read} is from a server that is no longer the master")
        self._confirmed |= newest
        return came

    def _find_unconfirmed(self, came: Iterable[tuple[int, Pointer]]) -> dict[int, str]:
        """The last position in each partition that is not known to be on replicas."""
        return {p: pointer.position for p, pointer in came if not self._is_confirmed(p, pointer)}

    def _drop_unconfirmed(self, came: Iterable[tuple[int, Pointer]]) -> list[tuple[int, Pointer]]:
        time.sleep(PAUSE)
        return [(p, pointer) for p, pointer in came if self._is_confirmed(p, pointer)]

    def _is_confirmed(self, partition: int, pointer: Pointer) -> bool:
        known = self._confirmed.get(partition, FEED_START)
        return parse_position(pointer.position) <= parse_position(known)
