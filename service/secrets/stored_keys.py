"""What the store has of the service's keys: never a key, only fingerprints.

movelog:keys          hash: the name of a key file → the fingerprint of the key in use
movelog:keys:sealed   set: the fingerprints of the choice keys that may have sealed something
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import redis

from service.storage.cache_writes import cache_writes

KEYS: Final = "movelog:keys"
SEALED: Final = "movelog:keys:sealed"


class StoredKeys:
    """The fingerprints in a store. Its methods raise RedisError."""

    def __init__(self, store: redis.Redis) -> None:
        self.store = store

    def exist(self) -> bool:
        """Whether the store belongs to a service with keys."""
        return bool(self.store.exists(KEYS))

    def find_in_use(self, name: str) -> str | None:
        """Find which key of this name is in use; None where no process has noted one."""
        stored: Any = self.store.hget(KEYS, name)
        return None if stored is None else str(stored.decode())

    def begin(self, name: str, key: str) -> str | None:
        """Note the first key of a store; returns the key in use, which another may have noted.

        None if the store has no room: it is then noted another time.
        """
        if not self.store.hexists(KEYS, name):
            with cache_writes(self.store) as pipeline:
                pipeline.hsetnx(KEYS, name, key)
        return self.find_in_use(name)

    def move(self, name: str, key: str) -> None:
        """Note that another key is in use, if the store has room."""
        with cache_writes(self.store) as pipeline:
            pipeline.hset(KEYS, name, key)

    def note(self, keys: Mapping[str, str]) -> None:
        """Note which keys are in use, by name."""
        fingerprints: dict[Any, Any] = dict(keys)
        self.store.hset(KEYS, mapping=fingerprints)

    def find_sealing(self) -> set[str]:
        """Find the choice keys that may have sealed something."""
        members: Any = self.store.smembers(SEALED)
        return {member.decode() for member in members}

    def note_sealing(self, keys: Iterable[str]) -> None:
        """Note that these choice keys may seal something, if the store has room."""
        with cache_writes(self.store) as pipeline:
            pipeline.sadd(SEALED, *keys)

    def keep_sealing(self, key: str) -> None:
        """Drop the other choice keys: nothing is sealed with them any more."""
        for other in self.find_sealing() - {key}:
            self.store.srem(SEALED, other)
