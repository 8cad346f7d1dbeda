"""A range of one partition's feed, and the pointers in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.log.values import Pointer


@dataclass(frozen=True, slots=True)
class FeedRange:
    """The positions of a `partition` after `after`, up to and including `upto`."""

    partition: int
    after: str
    upto: str


@dataclass(frozen=True, slots=True)
class FeedBatch:
    """Pointers, and the range of the feed that they were read from."""

    range: FeedRange
    pointers: Sequence[Pointer]
