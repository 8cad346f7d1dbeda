"""The events that the feed of all games sends for an append, each as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii
from typing import Final

from service.game_feed.facts import is_beginning, is_hidden, is_unanswered
from service.game_feed.filter import Filter
from service.game_feed.position import Place, Position, mark_partly_sent
from service.log.chain import when
from service.log.feed_range import parse_position
from service.log.interface import EventLog
from service.log.values import Pointer, StoredEvent, StreamId, StreamRange

BEFORE_BEGINNING: Final = 2
"""The most events of a hidden game before the one that begins it."""


@dataclass(frozen=True, slots=True)
class FeedEvent:
    """An event of the feed: its public part as JSON, and its place.

    `number` is its number, from 1, among the events sent for its append. `last` says whether it is
    the last of them that is wanted. `pointer` is in the feed of `partition`.
    """

    stored_name: str
    json: str
    partition: int
    pointer: Pointer
    number: int
    last: bool

    def position_after(self, position: Position, before: Place) -> Position:
        """The position after this event was sent, given the position before it.

        `before` is the partition's place before the append.
        """
        if self.last:
            return position.move(self.partition, parse_position(self.pointer.position))
        moved = position.move(self.partition, before)
        return mark_partly_sent(moved, self.partition, self.number)


def read_feed_events(
    log: EventLog, pointers: Sequence[tuple[int, Pointer]], filter: Filter
) -> list[list[FeedEvent]]:
    """Return the events to send for each append; each is given with its partition. One round trip.

    The first events of a game that waits for its round, and of a private challenge, are sent with
    the event that begins it.
    """
    ranges = make_ranges(pointer for _, pointer in pointers)
    read = log.read_stored(list(ranges.values()))
    stored = {
        stream: {entry.version: entry for entry in entries}
        for stream, entries in zip(ranges, read, strict=True)
    }
    return [
        select_feed_events(partition, pointer, stored[pointer.stream], filter)
        for partition, pointer in pointers
    ]


def make_ranges(pointers: Iterable[Pointer]) -> dict[StreamId, StreamRange]:
    """Return, for each stream, the range of events needed to send these appends."""
    bounds: dict[StreamId, tuple[int, int]] = {}
    for pointer in pointers:
        # This may begin a game that was prepared.
        after = pointer.first - 1 if pointer.first - 1 > BEFORE_BEGINNING else 0
        first, last = bounds.get(pointer.stream, (after, pointer.last))
        bounds[pointer.stream] = (min(first, after), max(last, pointer.last))
    return {
        stream: StreamRange(stream, after, last - after) for stream, (after, last) in bounds.items()
    }


def select_feed_events(
    partition: int, pointer: Pointer, stored: Mapping[int, StoredEvent], filter: Filter
) -> list[FeedEvent]:
    """Return the events to send for one append; `stored` has at least its events, by version."""
    # A log that was repaired may lack the last ones.
    entries = [
        stored[version] for version in range(pointer.first, pointer.last + 1) if version in stored
    ]
    first = stored.get(1)
    if first is not None and is_hidden(first):
        if any(map(is_beginning, entries)):
            entries = [stored[v] for v in range(1, pointer.first) if v in stored] + entries
        elif pointer.first == 1 or any(map(is_unanswered, entries)):
            return []
    wanted = [
        (number, entry)
        for number, entry in enumerate(entries, 1)
        if filter.wants(entry.stored_name)
    ]
    return [
        FeedEvent(
            entry.stored_name,
            write_public_part(pointer.stream, entry),
            partition,
            pointer,
            number,
            number == wanted[-1][0],
        )
        for number, entry in wanted
    ]


def write_public_part(stream: StreamId, entry: StoredEvent) -> str:
    """An event's public part (`service.log.chain`) as JSON in ASCII.

    The stored data is already that of the public part, so nothing of it is decoded.
    """
    data = entry.data
    if not data.isascii():
        data = json.dumps(json.loads(data), separators=(",", ":"))
    return (
        f'{{"version":{entry.version},"type":"{entry.stored_name}","at":"{when(entry.at)}",'
        f'"by":{encode_basestring_ascii(entry.by)},"data":{data},"previous":"{entry.previous}",'
        f'"stream":"{stream}"}}'
    )
