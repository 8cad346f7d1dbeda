"""Reading long streams of events in pages, each bounded by its number of events and by bytes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from service.log.interface import EventLog
from service.log.values import LogPage, Recorded, StreamId

PAGE_BYTES: Final = 1 << 20
"""A page ends with the event that brings it to this many bytes, as they are stored."""
TOGETHER: Final = 100
"""The most events that are read from the store at once for a page."""
MOST: Final = 500
"""The most events of a page of `read_pages`."""

ReadSized = Callable[[int, int], Sequence[tuple[Recorded, int]]]
"""Returns up to so many events after a version, each with its size in bytes."""


def collect_page(read: ReadSized, after: int, limit: int) -> LogPage:
    """A page of what `read` returns, as `EventLog.read_page` returns it."""
    events: list[Recorded] = []
    size = 0
    while len(events) < limit:
        wanted = min(TOGETHER, limit - len(events))
        found = read(events[-1].version if events else after, wanted)
        for entry, length in found:
            events.append(entry)
            size += length
            if size >= PAGE_BYTES:
                return LogPage(events, more=True)
        if len(found) < wanted:
            return LogPage(events, more=False)
    return LogPage(events, more=True)


def read_pages(
    log: EventLog, stream: StreamId, after: int = 0, until: int | None = None
) -> Iterator[Sequence[Recorded]]:
    """All events of a stream after version `after`, up to version `until`, a page at a time."""
    more = True
    while more:
        limit = MOST if until is None else min(MOST, until - after)
        page = log.read_page(stream, after, limit)
        if page:
            yield page.events
            after = page.events[-1].version
        more = page.more and bool(page)
