"""What a store holds."""

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
    """Every key that fits, with its value as readable text.

    Not as DUMP gives it: that has the fields of a hash in an order that also changes by reading,
    while Redis makes room for more, and a checksum in which anything may stand by chance.
    """
    keys: list[bytes] = sorted(store.scan_iter(match=pattern))
    kinds: list[Any] = [store.type(key) for key in keys]
    return {
        key: repr(READERS[kind](store, key)).encode() for key, kind in zip(keys, kinds, strict=True)
    }
