"""Moves streams from Redis into the archive.

It can be interrupted after any step. A stream leaves Redis only after its segment was read back and
its place is on the disk, and only if it is still as it was copied and the directory has no other
events of it. Whatever a process that died has left behind is never read, or equals what Redis still
has.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, TypeAlias
from uuid import uuid4

from service.archive.archive import Archive
from service.archive.frozen_stream import FrozenStream, list_digests, shorten_receipts
from service.archive.redis_feeds import RedisFeeds
from service.archive.redis_tier import Changed, RedisTier
from service.archive.steps import Step
from service.log.values import StreamId

logger = logging.getLogger(__name__)

STREAMS: Final = 500
SIZE: Final = 8 << 20
"""The most streams of one segment, and the most bytes of their events before compression."""

Copy: TypeAlias = tuple[FrozenStream, FrozenStream]
"""A stream as it was in Redis, and as it is archived."""


@dataclass(frozen=True, slots=True)
class Archived:
    """The result of archiving: streams that left Redis, those that stay, and bytes of segments."""

    streams: int = 0
    skipped: int = 0
    bytes: int = 0

    def __add__(self, other: Archived) -> Archived:
        return Archived(
            self.streams + other.streams, self.skipped + other.skipped, self.bytes + other.bytes
        )


class Archiver:
    """Archives streams. `clock` is in milliseconds since 1970 UTC."""

    def __init__(
        self,
        tier: RedisTier,
        archive: Archive,
        clock: Callable[[], int],
        step: Step = lambda done: None,
    ) -> None:
        self.tier = tier
        self.archive = archive
        self.clock = clock
        self._step = step

    def run(self, streams: Iterable[StreamId]) -> Iterator[Archived]:
        """Archive these streams; yields the result of each portion of them once it is done.

        Streams that somebody is changing or that have an alarm stay where they are. Raises the
        errors of `Archive.put` and `RedisTier.note_directory`; everything yielded before is done.
        """
        waiting = iter(streams)
        while portion := list(islice(waiting, STREAMS)):
            with self.tier.hold() as renew:
                self.tier.note_directory(self.archive.directory)
                done = sum((self._move(*copied) for copied in self._copy(portion)), Archived())
                renew()
            yield replace(done, skipped=len(portion) - done.streams)

    def _copy(self, portion: Sequence[StreamId]) -> Iterator[tuple[int, list[Copy]]]:
        """Yield streams for a segment, and a time before they were copied."""
        at, size, copied = self.clock(), 0, list[Copy]()
        for stream in portion:
            try:
                original = self.tier.copy(stream)
                copied.append((original, _shorten(original)))
            except (Changed, ValueError, KeyError):
                continue
            size += sum(len(event.data) for event in original.events)
            if size >= SIZE:
                yield at, copied
                at, size, copied = self.clock(), 0, []
        if copied:
            yield at, copied

    def _move(self, at: int, copied: Sequence[Copy]) -> Archived:
        self._step("copied")
        log = RedisFeeds(self.tier.log).identify_log()
        size = self.archive.put([frozen for _, frozen in copied], log, at, self._step)
        self.tier.note_removal(self.archive.directory)
        moved = 0
        for original in self._list_noted([original for original, _ in copied]):
            moved += self.tier.remove(original, uuid4().hex)
            self._step("removed")
        return Archived(moved, 0, size)

    def _list_noted(self, originals: Sequence[FrozenStream]) -> Iterator[FrozenStream]:
        """Those of these streams that the directory has as they are here."""
        places = self.archive.find([original.stream for original in originals])
        for original in originals:
            if places[original.stream].entry.head == original.head:
                yield original
            else:
                logger.warning(
                    "%s is not archived: the directory has other events of it", original.stream
                )


def _shorten(original: FrozenStream) -> FrozenStream:
    """A stream as it is archived. Raises Changed if its digests do not follow from its events."""
    if list_digests(original.stream, original.events)[1:] != original.digests:
        logger.warning("%s is not archived: its digests are wrong", original.stream)
        raise Changed
    return replace(original, receipts=shorten_receipts(original.receipts))
