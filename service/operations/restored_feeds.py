"""Restores a backup's feeds: what was trimmed goes into the archive again."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Final

from service.archive.archive import Archive
from service.archive.feed_segment import FeedChunk
from service.archive.feed_trimmer import CHUNK
from service.archive.redis_feeds import RedisFeeds, name_mark
from service.archive.redis_tier import RedisTier
from service.composition.service import now
from service.log.interface import FEED_START
from service.log.redis_forms import name_feed
from service.log.values import Pointer, StreamId
from service.operations.backup_file import Line

MOST: Final = 64 * CHUNK
"""The approximate number of pointers in a segment."""


class RestoredFeeds:
    """Takes lines of a backup, puts pointers into Redis and makes feed segments of older ones.

    Positions are kept, since clients resume from them. Raises what `FeedArchive.put` raises.
    """

    def __init__(self, tier: RedisTier, archive: Archive) -> None:
        self._tier = tier
        self._archive = archive
        self._feeds = RedisFeeds(tier.log)
        self._waiting: dict[int, list[Pointer]] = defaultdict(list)
        self._ends: dict[int, str] = {}
        self._newest: dict[int, list[Any]] = {}
        """The newest pointer of each partition that has none in Redis yet."""
        self._hot: set[int] = set()

    def add(self, pipeline: Any, line: Line) -> None:
        """Add the next pointers of a partition; those for Redis go into the pipeline."""
        partition, pointers = line["feed"], line["pointers"]
        if not pointers:
            return
        if line.get("archived"):
            self._waiting[partition] += map(_read_pointer, pointers)
            self._newest[partition] = pointers[-1]
            if sum(map(len, self._waiting.values())) >= MOST:
                self._put()
        else:
            self._hot.add(partition)
            self._add_to_redis(pipeline, partition, pointers)

    def finish(self, pipeline: Any) -> None:
        """Archive the rest; what is to be in Redis goes into the pipeline."""
        self._put()
        if not self._ends:
            return
        self._tier.note_directory(self._archive.directory, anew=True)
        for partition, end in self._ends.items():
            pipeline.set(name_mark(partition), end)
            if partition not in self._hot:
                # Every feed keeps its newest pointer.
                self._add_to_redis(pipeline, partition, [self._newest[partition]])

    def _add_to_redis(self, pipeline: Any, partition: int, pointers: list[Any]) -> None:
        key = name_feed(partition)
        for position, stream, first, last, audience in pointers:
            fields = {"s": stream, "f": first, "l": last, "a": " ".join(audience)}
            pipeline.xadd(key, fields, id=position)

    def _put(self) -> None:
        chunks = []
        for partition, pointers in self._waiting.items():
            for start in range(0, len(pointers), CHUNK):
                some = pointers[start : start + CHUNK]
                chunks.append(FeedChunk(partition, self._ends.get(partition, FEED_START), some))
                self._ends[partition] = some[-1].position
        if chunks:
            self._archive.feeds.put(chunks, self._feeds.identify_log(), now(), lambda done: None)
        self._waiting.clear()


def _read_pointer(values: list[Any]) -> Pointer:
    """The pointer that a backup writes as these values."""
    position, name, first, last, audience = values
    kind, _, id = name.partition(":")
    return Pointer(position, StreamId(kind, id), first, last, tuple(audience))
