"""The contents of a store."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from service.log.redis_exchange import LogClient

READERS: Mapping[bytes, Callable[[LogClient, bytes], Any]] = {
    b"string": lambda store, key: store.get(key),
    b"hash": lambda store, key: sorted(store.hgetall(key).items()),
    b"set": lambda store, key: sorted(store.smembers(key)),
    b"list": lambda store, key: store.lrange(key, 0, -1),
    b"zset": lambda store, key: store.zrange(key, 0, -1, withscores=True),
    b"stream": lambda store, key: store.xrange(key),
}


def contents(store: LogClient, pattern: str = "*") -> dict[bytes, bytes]:
    """Every key that matches, with its value as readable text.

    Not as DUMP gives it: its checksum may contain any text by chance, and the order of a hash's
    fields in it changes even by reading, while Redis is resizing the hash.
    """
    keys: list[bytes] = sorted(store.scan_iter(match=pattern))
    kinds: list[Any] = [store.type(key) for key in keys]
    return {
        key: repr(READERS[kind](store, key)).encode() for key, kind in zip(keys, kinds, strict=True)
    }
