"""Alarms: times at which a stream has to be looked at again, such as when a clock runs out.

An append sets its stream's alarm atomically (`Append.alarm`), so that none is forgotten.
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
    """Alarms up to a time, earliest first, and the partitions whose alarms were lost."""

    alarms: Sequence[Alarm]
    lost: Sequence[int]


class Alarms(Protocol):
    """The alarms of a log; every implementation has to pass the contract suite of logs."""

    def look(self, before: int, limit: int = 1000) -> AlarmView:
        """Return the alarms at or before `before`, up to `limit` from each partition."""

    def move(self, stream: StreamId, seen: int, at: int) -> bool:
        """Set a stream's alarm to another time, or remove it if that is 0.

        This is done only if it is still at `seen`; otherwise an append has set it since, and False
        is returned.
        """

    def restore(self, partition: int, alarms: Mapping[StreamId, int]) -> None:
        """Set the alarms of a partition that were lost, except those set meanwhile."""
