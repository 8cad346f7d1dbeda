"""A stretch of one partition's feed."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stretch:
    """The pointers of `partition` beyond the position `after`, up to and with `upto`."""

    partition: int
    after: str
    upto: str
