"""The versions of streams, as a log's feeds tell them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

from service.archive.feed_archive import FeedArchive
from service.archive.older_streams import OlderStreams
from service.log.interface import FEED_START
from service.log.redis import RedisEventLog
from service.log.values import GENESIS, Pointer

PAGE: Final = 500
"""The most pointers of a partition that are asked for together."""

Read = Callable[[Mapping[int, str]], Mapping[int, list[Pointer]]]
"""Returns the next pointers beyond a position in each partition, none at the end."""


def find_versions(log: RedisEventLog, archive: FeedArchive, streams: OlderStreams) -> None:
    """Note the versions of these streams that were appended, and drop those that are in Redis.

    The directory of `archive` has to be complete. Raises the errors of `FeedArchive`.
    """
    partitions = set[int]()
    for page in streams.read_pages():
        heads = dict(zip(page, log.digests(page), strict=True))
        streams.drop(stream for stream, head in heads.items() if head != GENESIS)
        partitions |= {log.partition(stream) for stream, head in heads.items() if head == GENESIS}
    for partition in partitions:
        # Redis first: what is trimmed meanwhile is read twice rather than not at all.
        for read in (partial(log.feed_each, limit=PAGE), archive.read):
            for pointers in _read_all(read, partition):
                streams.note_versions(pointers)


def _read_all(read: Read, partition: int) -> Iterator[list[Pointer]]:
    after = FEED_START
    while page := read({partition: after})[partition]:
        yield page
        after = page[-1].position
