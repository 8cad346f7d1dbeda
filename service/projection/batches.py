"""What is read of the feeds, in batches of a size that one transaction writes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from service.log.feed_range import FeedBatch, FeedRange
from service.log.values import Pointer
from service.projection.checkpoints import Positions
from service.projection.database.chunks import batched

GAMES: Final = 100
"""Pointers that are projected together, and so between two looks at what else is to be done."""


def cut_batches(came: Mapping[int, Sequence[Pointer]], reached: Positions) -> Iterator[FeedBatch]:
    """What came of each partition behind the position reached, GAMES pointers at most in each."""
    for partition, pointers in came.items():
        after = reached[partition]
        for some in batched(pointers, GAMES):
            yield FeedBatch(FeedRange(partition, after, some[-1].position), some)
            after = some[-1].position


def group_batches(batches: Iterable[FeedBatch]) -> Iterator[list[FeedBatch]]:
    """Put batches together until they have GAMES pointers or more."""
    group: list[FeedBatch] = []
    for batch in batches:
        group.append(batch)
        if sum(len(one.pointers) for one in group) >= GAMES:
            yield group
            group = []
    if group:
        yield group
