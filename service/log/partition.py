"""Where a stream is kept: its partition and the names of its keys."""

from __future__ import annotations

from hashlib import sha256

from service.log.values import StreamId

PARTITIONS = 64


def partition_of(stream: StreamId, partitions: int = PARTITIONS) -> int:
    """The partition of a stream, from its id alone; it never changes.

    >>> partition_of(StreamId("game", "a")) == partition_of(StreamId("game", "a"))
    True
    """
    return int.from_bytes(sha256(stream.id.encode()).digest()[:4], "big") % partitions
