"""Which running processes have which keys, by fingerprint: reported by each, for `movelog key`.

movelog:{keys}:holders   hash: "process on host (pid)" → seconds since 1970 UTC and fingerprints

Only processes whose keys the operator provides report them: keys in a file are read again when it
changes.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Event, Thread
from typing import Any, Final

import redis

from service.storage.cache_writes import cache_writes

log = logging.getLogger(__name__)

HOLDERS: Final = "movelog:{keys}:holders"
BEAT: Final = 5.0
"""Seconds between two reports of a process."""
GONE: Final = 15
"""Seconds without a report after which a process counts as ended."""
FORGOTTEN: Final = 3600
"""Seconds without a report after which a process is dropped."""


@dataclass(frozen=True, slots=True)
class Holder:
    """A running process by its name, and the fingerprints of its keys."""

    name: str
    keys: frozenset[str]


class KeyHolders:
    """The processes that share a store; safe for threads. Methods raise RedisError."""

    def __init__(self, store: redis.Redis) -> None:
        self.store = store

    def start(self, process: str, keys: Sequence[str]) -> Event:
        """Report from now on which keys this process has; setting the event ends it."""
        name = f"{process} on {socket.gethostname()} ({os.getpid()})"
        stop = Event()
        Thread(target=self._run, args=(name, keys, stop), name="keys", daemon=True).start()
        return stop

    def _run(self, name: str, keys: Sequence[str], stop: Event) -> None:
        while not stop.is_set():
            try:
                self.tell(name, keys)
            except redis.RedisError as error:
                log.debug("the keys of this process could not be announced: %s", error)
            stop.wait(BEAT)

    def tell(self, name: str, keys: Sequence[str]) -> None:
        """Report once which keys a process has, if the store has room."""
        with cache_writes(self.store) as pipeline:
            pipeline.hset(HOLDERS, name, " ".join([str(self._now()), *keys]))
            pipeline.expire(HOLDERS, FORGOTTEN)

    def find(self) -> list[Holder]:
        """Find the running processes; those that ended an hour ago are dropped."""
        told: Any = self.store.hgetall(HOLDERS)
        now, found = self._now(), []
        for name, value in sorted(told.items()):
            at, *keys = value.decode().split()
            if now - int(at) <= GONE:
                found.append(Holder(name.decode(), frozenset(keys)))
            elif now - int(at) > FORGOTTEN:
                self.store.hdel(HOLDERS, name)
        return found

    def _now(self) -> int:
        """Seconds since 1970 UTC by the store's clock, whatever the machines' clocks say."""
        seconds, _ = self.store.time()
        return int(seconds)
