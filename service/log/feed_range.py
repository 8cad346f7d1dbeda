"""A stretch of one partition's feed, and what stands in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from service.log.values import Pointer


@dataclass(frozen=True, slots=True)
class Stretch:
    """The pointers of `partition` beyond the position `after`, up to and with `upto`."""

    partition: int
    after: str
    upto: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the feed with its pointers."""

    stretch: Stretch
    pointers: Sequence[Pointer]
