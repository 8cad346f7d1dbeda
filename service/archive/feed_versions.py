"""The versions of streams, as a log's feeds tell them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from typing import Final

from service.archive.feed_archive import FeedArchive
from service.log.interface import FEED_START
from service.log.redis import RedisEventLog
from service.log.values import GENESIS, Pointer, StreamId

PAGE: Final = 500
"""The most pointers of a partition, and streams, that are asked for together."""

Read = Callable[[Mapping[int, str]], Mapping[int, list[Pointer]]]
"""Returns the next pointers beyond a position in each partition, none at the end."""


def find_versions(
    log: RedisEventLog, archive: FeedArchive, streams: Collection[StreamId]
) -> dict[StreamId, int]:
    """The versions of those of these streams that were appended to, and have left Redis.

    The directory of `archive` has to be complete. Raises the errors of `FeedArchive`.
    """
    missing = defaultdict[int, set[StreamId]](set)
    for stream in _list_missing(log, list(streams)):
        missing[log.partition(stream)].add(stream)
    versions: dict[StreamId, int] = {}
    for partition, wanted in missing.items():
        # Redis first: what is trimmed meanwhile is read twice rather than not at all.
        for read in (partial(log.feed_each, limit=PAGE), archive.read):
            for pointer in _read_all(read, partition):
                if pointer.stream in wanted:
                    versions[pointer.stream] = max(versions.get(pointer.stream, 0), pointer.last)
    return versions


def _list_missing(log: RedisEventLog, streams: list[StreamId]) -> Iterator[StreamId]:
    """Those of these streams that are not in Redis."""
    for start in range(0, len(streams), PAGE):
        page = streams[start : start + PAGE]
        heads = zip(page, log.digests(page), strict=True)
        yield from (stream for stream, head in heads if head == GENESIS)


def _read_all(read: Read, partition: int) -> Iterator[Pointer]:
    after = FEED_START
    while page := read({partition: after})[partition]:
        yield from page
        after = page[-1].position
