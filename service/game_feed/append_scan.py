"""Walks through what was appended in all partitions, approximately in order of time."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Final

from service.game_feed.errors import UnknownPosition
from service.game_feed.position import START, Place, Position, write_place
from service.log.feed_range import parse_position
from service.log.interface import EventLog
from service.log.values import Pointer

LEAST: Final = 16
MOST: Final = 200
"""The least and the most appends that are read together in each partition."""
LAST_NUMBER: Final = 2**63 - 1
"""Greater than any number of a place in a feed, which counts the appends of one millisecond."""

Entry = tuple[Place, int, Pointer]
"""A pointer with its place and partition; entries sort approximately by time."""


class AppendScan:
    """The appends of some partitions after a position.

    Those made meanwhile may or may not be returned. `complete` says that all appends that existed
    when they were read have been returned.
    """

    def __init__(
        self, log: EventLog, position: Position, partitions: Iterable[int], expected: int
    ) -> None:
        """`expected` is roughly how many appends will be wanted."""
        self.log = log
        self.position = position
        self._count = max(LEAST, min(expected // log.partitions, MOST))
        self._waiting: dict[int, list[Entry]] = {p: [] for p in partitions}
        self._ended: set[int] = set()
        self._begun = False

    @property
    def complete(self) -> bool:
        """Whether all existing appends have been returned."""
        return self._begun and len(self._ended) == len(self._waiting) and not self._is_waiting()

    def widen(self) -> None:
        """Read more at a time from now on, because few of the entries are wanted."""
        self._count = min(2 * self._count, MOST)

    def read_next(self, wanted: int) -> list[Entry]:
        """The next entries: at least `wanted`, if there are that many.

        First of all comes an append that was sent in part. Raises UnknownPosition for a position
        that is not in the log.
        """
        found: list[Entry] = []
        while len(found) < wanted and not self.complete:
            if self._begun:
                self._read_on()
            else:
                self._read_first()
                found += self._take_begun()
            found += self._take()
        return found

    def _is_waiting(self) -> bool:
        return any(self._waiting.values())

    def _take_begun(self) -> list[Entry]:
        """The append that was sent in part, which a position can say of one append only."""
        partition, sent = self.position.begun
        if not sent:
            return []
        own = self._waiting[partition]
        self._waiting[partition] = own[1:]
        return own[:1]

    def _take(self) -> list[Entry]:
        """The entries that nothing can precede any more, in order."""
        lasts = [own[-1][0] for p, own in self._waiting.items() if p not in self._ended]
        # Other partitions may still have earlier appends than the last one known of a partition.
        horizon = min(lasts, default=None)
        found: list[Entry] = []
        for partition, own in self._waiting.items():
            count = len(own) if horizon is None else count_up_to(own, horizon)
            found += own[:count]
            self._waiting[partition] = own[count:]
        found.sort(key=lambda entry: entry[:2])
        return found

    def _read_first(self) -> None:
        """Read what is after the position, and the append at it, which has to exist."""
        self._begun = True
        places = {p: self.position.places[p] for p in self._waiting}
        before = {p: write_place(find_place_before(place)) for p, place in places.items()}
        read = self.log.feed_each(before, self._count + 1)
        self._keep({p: drop_known(places[p], pointers) for p, pointers in read.items()})
        self._ended |= {p for p, pointers in read.items() if len(pointers) <= self._count}
        self._last = {p: own[-1][0] if own else places[p] for p, own in self._waiting.items()}

    def _read_on(self) -> None:
        """Read on in the partitions that have no entries waiting."""
        after = {
            p: write_place(self._last[p])
            for p, own in self._waiting.items()
            if not own and p not in self._ended
        }
        read = self.log.feed_each(after, self._count)
        self._keep(read)
        self._ended |= {p for p, pointers in read.items() if len(pointers) < self._count}
        self._last |= {p: own[-1][0] for p in read if (own := self._waiting[p])}

    def _keep(self, read: Mapping[int, Sequence[Pointer]]) -> None:
        for partition, pointers in read.items():
            self._waiting[partition] = [
                (parse_position(pointer.position), partition, pointer) for pointer in pointers
            ]


def count_up_to(entries: Sequence[Entry], horizon: Place) -> int:
    """How many of these entries, which are in order, are at or before the horizon."""
    return bisect_right(entries, horizon, key=itemgetter(0))


def find_place_before(place: Place) -> Place:
    """The place after which the first append is the one at `place`, or a later one."""
    time, number = place
    if place == START:
        return START
    return (time, number - 1) if number else (time - 1, LAST_NUMBER)


def drop_known(place: Place, pointers: Sequence[Pointer]) -> Sequence[Pointer]:
    """Those of the pointers that come after `place`; raises UnknownPosition if none is at it.

    A restored store has other appends, whose places may be later than that.
    """
    if place == START:
        return pointers
    if not pointers or parse_position(pointers[0].position) != place:
        raise UnknownPosition
    return pointers[1:]
