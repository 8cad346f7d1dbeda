"""Updates that somebody waits for are projected before thousands of imported games."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from service.imports import repository as imports
from service.log.feed_range import FeedBatch, FeedRange, parse_position
from service.log.interface import EventLog
from service.log.values import Pointer
from service.tournament import repository as tournaments

BACKLOG: Final = 100
"""Pointers that must be waiting for overtaking them to be worthwhile."""
MAX_EARLY: Final = 5000
"""The most pointers that are projected early and remembered until their turn has come."""
AWAITED_KINDS: Final = frozenset({imports.KIND, tournaments.KIND})
"""The kinds of streams that people look for in a list as soon as they are begun."""


class UrgentUpdates:
    """Finds updates that concern somebody, far beyond where the projector is.

    An import makes thousands of new streams, and nobody waits for any single one of them; people
    wait for their own games, and for whatever is in progress. What was projected early is skipped
    when its turn comes; after a crash it is projected again.
    """

    def __init__(self, events: EventLog, kinds: Collection[str]) -> None:
        self.events = events
        self.kinds = kinds
        self._looked: dict[int, str] = {}
        self._early: set[tuple[int, str]] = set()

    def forget(self) -> None:
        """Forget what was projected early, since the positions have changed."""
        self._looked = {}
        self._early.clear()

    def is_backlogged(self, came: Iterable[Sequence[Pointer]]) -> bool:
        """Whether there is much to project, most of which concerns nobody."""
        idle = [concerns_nobody(pointer) for pointers in came for pointer in pointers]
        return sum(idle) > max(BACKLOG, len(idle) / 2)

    def urgent(self, reached: Mapping[int, str], limit: int) -> list[FeedBatch]:
        """Up to `limit` pointers to project now, each in its own batch.

        `reached` are the checkpoints of the partitions.
        """
        self._looked = {
            partition: max(position, self._looked.get(partition, position), key=parse_position)
            for partition, position in reached.items()
        }
        found: list[FeedBatch] = []
        if len(self._early) + limit > MAX_EARLY:
            return found
        for partition, pointer in self.events.wait(self._looked, 0):
            after = self._looked[partition]
            self._looked[partition] = pointer.position
            if pointer.stream.kind in self.kinds and not concerns_nobody(pointer):
                self._early.add((partition, pointer.position))
                found.append(FeedBatch(FeedRange(partition, after, pointer.position), [pointer]))
                if len(found) == limit:
                    break
        return found

    def remaining(self, batch: FeedBatch) -> FeedBatch:
        """A batch, whose turn has come, without the pointers that were projected early."""
        partition = batch.range.partition
        early = {(partition, pointer.position) for pointer in batch.pointers} & self._early
        if not early:
            return batch
        self._early -= early
        pointers = [one for one in batch.pointers if (partition, one.position) not in early]
        return FeedBatch(batch.range, pointers)


def concerns_nobody(pointer: Pointer) -> bool:
    """Whether a pointer is to the beginning of something that nobody waits for."""
    awaited = pointer.audience or pointer.stream.kind in AWAITED_KINDS
    return pointer.first == 1 and not awaited
