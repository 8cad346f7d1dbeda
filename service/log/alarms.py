"""Alarms: times at which somebody has to look at a stream again, such as when a clock runs out.

An append sets its stream's alarm in the same step (`Append.alarm`), so that none is forgotten.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from service.log.values import StreamId


@dataclass(frozen=True, slots=True)
class Alarm:
    """When a stream has to be looked at, in milliseconds since 1970 UTC."""

    stream: StreamId
    at: int


@dataclass(frozen=True, slots=True)
class AlarmView:
    """Alarms up to some time, the earliest first, and the partitions whose alarms were lost."""

    alarms: Sequence[Alarm]
    lost: Sequence[int]


class Alarms(Protocol):
    """The alarms of a log; the contract suite of logs holds for every implementation."""

    def look(self, before: int, limit: int = 1000) -> AlarmView:
        """Return the alarms at `before` or earlier, up to `limit` of each partition."""

    def move(self, stream: StreamId, seen: int, at: int) -> bool:
        """Set a stream's alarm to another time, or remove it where that is 0.

        Only if it still is at `seen`: else an append has set it since, and False is returned.
        """

    def restore(self, partition: int, alarms: Mapping[StreamId, int]) -> None:
        """Set the alarms of a partition that were lost, except those set meanwhile."""
