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


def parse_position(position: str) -> tuple[int, int]:
    """Return a feed position as a pair that sorts in the order of the feed.

    >>> parse_position("9-1") < parse_position("10-0")
    True
    """
    at, _, sequence = position.partition("-")
    return int(at), int(sequence)
