"""Moves the beginnings of the partitions' feeds from Redis into the archive.

It can be interrupted after any step. Pointers leave Redis only after their segment was read back
and its place is on the disk. If a process died after noting pointers, the next run trims them
first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from service.archive.archive import Archive
from service.archive.errors import DirectoryAway
from service.archive.feed_segment import FeedChunk
from service.archive.redis_feeds import RedisFeeds
from service.archive.redis_tier import RedisTier
from service.archive.steps import Step
from service.log.feed_range import parse_position
from service.log.interface import FEED_START

CHUNK: Final = 500
"""The most pointers of a partition in one segment."""
LEAST: Final = 100
"""The least number of pointers for which a partition is trimmed."""


@dataclass(frozen=True, slots=True)
class Trimmed:
    """The result of trimming: pointers that left Redis, and bytes of segments."""

    pointers: int = 0
    bytes: int = 0

    def __add__(self, other: Trimmed) -> Trimmed:
        return Trimmed(self.pointers + other.pointers, self.bytes + other.bytes)


class FeedTrimmer:
    """Trims the feeds of a log. `clock` is in milliseconds since 1970 UTC.

    The newest pointer of a partition stays, and fewer than `least` pointers are not trimmed.
    """

    def __init__(
        self,
        tier: RedisTier,
        archive: Archive,
        clock: Callable[[], int],
        step: Step = lambda done: None,
        least: int = LEAST,
    ) -> None:
        self.tier = tier
        self.archive = archive
        self.feeds = RedisFeeds(tier.log)
        self.clock = clock
        self.least = least
        self._step = step

    def run(self, read: Mapping[int, str], before: int) -> Iterator[Trimmed]:
        """Trim what every reader has read and what is older than `before`, in milliseconds.

        `read` is a position in each partition that is to be trimmed. Yields the result of each
        segment once it is done. Raises the errors of `FeedArchive.put` and
        `RedisTier.note_directory`.
        """
        limits = {p: min(parse_position(at), (before, 0)) for p, at in read.items()}
        while True:
            with self.tier.hold():
                done = self._trim_some(limits)
            if not done.pointers:
                return
            yield done

    def _trim_some(self, limits: Mapping[int, tuple[int, int]]) -> Trimmed:
        self.tier.note_directory(self.archive.directory)
        known = self.archive.feeds.directory.find_ends(self.tier.log.partitions)
        self._finish(known)
        chunks = self._copy(known, limits)
        if not chunks:
            return Trimmed()
        self._step("feed copied")
        log = self.feeds.identify_log()
        size = self.archive.feeds.put(chunks, log, self.clock(), self._step)
        self.tier.note_removal(self.archive.directory)
        for chunk in chunks:
            self.feeds.trim(chunk.partition, chunk.last)
            self._step("trimmed")
        return Trimmed(sum(len(chunk.pointers) for chunk in chunks), size)

    def _finish(self, known: Mapping[int, str]) -> None:
        """Trim the pointers that a process has archived but died before trimming.

        Raises DirectoryAway if the directory does not belong to this log.
        """
        if not (untrimmed := self._find_untrimmed(known)):
            return
        self.tier.note_removal(self.archive.directory)
        for partition, end in untrimmed.items():
            if self.feeds.trim(partition, end):
                continue
            if self._find_untrimmed({partition: end}):
                raise DirectoryAway(
                    f"it knows of {end} in feed {partition}, which the store has never had;"
                    " was the store emptied? Restore a backup"
                )

    def _find_untrimmed(self, known: Mapping[int, str]) -> dict[int, str]:
        marks = self.feeds.marks(known)
        return {
            p: end for p, end in known.items() if parse_position(end) > parse_position(marks[p])
        }

    def _copy(
        self, known: Mapping[int, str], limits: Mapping[int, tuple[int, int]]
    ) -> list[FeedChunk]:
        """The next pointers of each partition to be trimmed."""
        after = {partition: known.get(partition, FEED_START) for partition in limits}
        chunks = []
        for partition, pointers in self.tier.log.feed_each(after, CHUNK + 1).items():
            # The newest one stays.
            going = [p for p in pointers[:-1] if parse_position(p.position) <= limits[partition]]
            if len(going) >= self.least:
                chunks.append(FeedChunk(partition, after[partition], going))
        return chunks
