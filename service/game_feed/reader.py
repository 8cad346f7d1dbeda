"""Reads the feed of all games from the log, starting at a position."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from service.game.repository import KIND, stream_of
from service.game_feed.append_scan import AppendScan, Entry
from service.game_feed.facts import FactsCache
from service.game_feed.feed_events import FeedEvent, read_feed_events
from service.game_feed.filter import Filter, list_topics
from service.game_feed.position import NOT_BEGUN, START, Place, Position, begin_at, place_at
from service.log.interface import EventLog
from service.log.values import Pointer

LOOKED_AT: Final = 20_000
"""About the most appends that one page looks at: a page may end with few events that fit."""
WIDENED: Final = 4
"""More is read at a time if fewer than one in this many appends is wanted."""
TOGETHER: Final = 200
"""The most appends whose events are read together."""
PAGE_BYTES: Final = 4 << 20
"""A page ends with the event that brings it to this many bytes."""
ANYTHING: Final = Filter()


Placed = tuple[FeedEvent, Place]
"""An event, and the place of its partition before the append."""


@dataclass(frozen=True, slots=True)
class Page:
    """Events of the feed in order, and the position after them.

    `caught_up` says that the log had no more when it was read.
    """

    events: Sequence[Placed]
    position: Position
    caught_up: bool


class GameFeed:
    """The feed of all games in a log.

    Events of one game come in order. Those of different games come approximately in order of time;
    all that is promised for them is that each comes once.
    """

    def __init__(self, log: EventLog) -> None:
        self.log = log
        self.facts = FactsCache(log)

    def find_start(self) -> Position:
        """The position before the first event."""
        return begin_at(self.log.partitions)

    def find_end(self) -> Position:
        """The position after everything that is in the log now."""
        return place_at(self.log.feed_positions())

    def read(self, position: Position, filter: Filter, limit: int) -> Page:
        """Up to `limit` events after a position; fewer if they are large or few of many fit.

        Raises UnknownPosition.
        """
        events: list[Placed] = []
        looked_at = 0
        partitions = self._list_partitions(filter, position)
        # Partitions without any of the games listed count as read up to the end that they have now.
        end = self.find_end() if len(partitions) < self.log.partitions else position
        scan = AppendScan(self.log, position, partitions, limit)
        while len(events) < limit and looked_at < LOOKED_AT and not scan.complete:
            entries = scan.read_next(limit - len(events))
            position, whole = self._collect(entries, position, filter, limit, events)
            if not whole:
                return Page(events, position, False)
            looked_at += len(entries)
            if WIDENED * len(events) < looked_at:
                scan.widen()
        if scan.complete:
            for partition in set(range(self.log.partitions)).difference(partitions):
                position = position.move(partition, end.places[partition])
        return Page(events, position, scan.complete)

    def read_append(self, partition: int, pointer: Pointer) -> list[FeedEvent]:
        """The events of one append for a reader who wants everything."""
        (events,) = read_feed_events(self.log, [(partition, pointer)], ANYTHING)
        return events

    def fits(self, pointer: Pointer, filter: Filter) -> bool:
        """Whether the append is to a game that a filter wants."""
        return bool(self._select([(START, 0, pointer)], filter))

    def list_topics(self, pointer: Pointer) -> list[str]:
        """The topics whose readers may want the append; none if it is not to a game."""
        if pointer.stream.kind != KIND:
            return []
        return list_topics(pointer, self.facts.find_each([pointer.stream.id])[pointer.stream.id])

    def _list_partitions(self, filter: Filter, position: Position) -> Sequence[int]:
        """The partitions to read: of the games listed, and of an append that was sent in part."""
        if not filter.games:
            return range(self.log.partitions)
        wanted = {self.log.partition(stream_of(id)) for id in filter.games}
        partition, sent = position.begun
        return sorted(wanted | {partition} if sent else wanted)

    def _collect(
        self,
        entries: Sequence[Entry],
        position: Position,
        filter: Filter,
        limit: int,
        found: list[Placed],
    ) -> tuple[Position, bool]:
        """Add what is to be sent of these appends to the events `found`, as many as fit in a page.

        Returns the position after them, and whether all fit.
        """
        size = sum(len(event.json) for event, _ in found)
        places, begun = list(position.places), position.begun
        for (place, partition, _), events in self._read_events(entries, filter):
            for event in events:
                if begun[0] == partition and event.number <= begun[1]:
                    continue
                if len(found) == limit or size >= PAGE_BYTES:
                    return Position(tuple(places), begun), False
                found.append((event, places[partition]))
                size += len(event.json)
                begun = (partition, event.number)
            places[partition] = place
            if begun[0] == partition:
                begun = NOT_BEGUN
        return Position(tuple(places), begun), True

    def _read_events(
        self, entries: Sequence[Entry], filter: Filter
    ) -> Iterator[tuple[Entry, Sequence[FeedEvent]]]:
        """Each entry with the events to send of it, which are read some entries at a time."""
        for start in range(0, len(entries), TOGETHER):
            part = entries[start : start + TOGETHER]
            fitting = self._select(part, filter)
            read = read_feed_events(self.log, [(p, pointer) for _, p, pointer in fitting], filter)
            events_of = {entry[:2]: events for entry, events in zip(fitting, read, strict=True)}
            for entry in part:
                yield entry, events_of.get(entry[:2], ())

    def _select(self, entries: Sequence[Entry], filter: Filter) -> list[Entry]:
        """The entries of games that are wanted."""
        candidates = [entry for entry in entries if filter.may_fit(entry[2])]
        if not filter.needs_facts:
            return candidates
        facts = self.facts.find_each(pointer.stream.id for _, _, pointer in candidates)
        return [entry for entry in candidates if filter.fits(entry[2], facts[entry[2].stream.id])]
