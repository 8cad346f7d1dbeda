"""What is read of the feeds, cut into batches that one transaction can write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from service.log.feed_range import FeedBatch, FeedRange
from service.log.values import Pointer
from service.projection.checkpoints import Positions
from service.projection.database.chunks import batched

GAMES: Final = 100
"""Pointers that are projected together, before the projector looks at what else is to be done."""


def cut_batches(came: Mapping[int, Sequence[Pointer]], reached: Positions) -> Iterator[FeedBatch]:
    """Cut the new pointers of each partition after `reached` into batches of at most GAMES."""
    for partition, pointers in came.items():
        after = reached[partition]
        for some in batched(pointers, GAMES):
            yield FeedBatch(FeedRange(partition, after, some[-1].position), some)
            after = some[-1].position


def group_batches(batches: Iterable[FeedBatch]) -> Iterator[list[FeedBatch]]:
    """Group batches until each group has at least GAMES pointers."""
    group: list[FeedBatch] = []
    for batch in batches:
        group.append(batch)
        if sum(len(one.pointers) for one in group) >= GAMES:
            yield group
            group = []
    if group:
        yield group
