"""Checks the feed of a log: every append once, and in order."""

from __future__ import annotations

from dataclasses import dataclass, field

from service.log.feed_range import parse_position
from service.log.interface import FEED_START, EventLog
from service.log.values import Pointer, StreamId

PAGE = 500


@dataclass(slots=True)
class FeedFinding:
    """The number of pointers, and the faults in some of them, a sentence for each."""

    pointers: int = 0
    faults: list[str] = field(default_factory=list)


def audit_feed(log: EventLog, partition: int) -> FeedFinding:
    """Read a partition's feed from its beginning; what was trimmed is read from the archive."""
    finding = FeedFinding()
    reached: dict[StreamId, int] = {}
    after = FEED_START
    while page := log.feed(partition, after, PAGE):
        for pointer in page:
            if fault := _check(log, partition, pointer, after, reached.get(pointer.stream, 0)):
                finding.faults.append(f"feed {partition} at {pointer.position}: {fault}")
            reached[pointer.stream] = pointer.last
            after = pointer.position
        finding.pointers += len(page)
    return finding


def _check(log: EventLog, partition: int, pointer: Pointer, after: str, reached: int) -> str | None:
    """The fault of a pointer after `after`, to a stream that the feed has named up to `reached`."""
    if parse_position(pointer.position) <= parse_position(after):
        return f"it is out of order, after {after}"
    if log.partition(pointer.stream) != partition:
        return f"{pointer.stream} belongs to another partition"
    if pointer.first != reached + 1:
        return f"it names {pointer.stream} from event {pointer.first} on, not from {reached + 1}"
    return None
