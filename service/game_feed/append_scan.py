"""Walks through what was appended in all partitions, about in order of time."""

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
"""Appends that are read together in each partition, at least and at most."""
LAST_NUMBER: Final = 2**63 - 1
"""Above every number in a place of a feed, of those appended in one millisecond."""

Entry = tuple[Place, int, Pointer]
"""A pointer with its place and partition: entries sort by time, about."""


class AppendScan:
    """The appends of some partitions behind a position.

    What is appended meanwhile may be found or not; `complete` says that all was given that was
    there when it was looked for.
    """

    def __init__(
        self, log: EventLog, position: Position, partitions: Iterable[int], expected: int
    ) -> None:
        """`expected` is about how many will be wanted."""
        self.log = log
        self.position = position
        self._count = max(LEAST, min(expected // log.partitions, MOST))
        self._waiting: dict[int, list[Entry]] = {p: [] for p in partitions}
        self._ended: set[int] = set()
        self._begun = False

    @property
    def complete(self) -> bool:
        """Whether all was given that was there."""
        return self._begun and len(self._ended) == len(self._waiting) and not self._is_waiting()

    def widen(self) -> None:
        """Read more at a time from now on, since few of the entries are wanted."""
        self._count = min(2 * self._count, MOST)

    def read_next(self, wanted: int) -> list[Entry]:
        """The next entries, `wanted` or some more, if there are so many.

        Raises UnknownPosition for a position that is not in the log.
        """
        found: list[Entry] = []
        while len(found) < wanted and not self.complete:
            if self._begun:
                self._read_on()
            else:
                self._read_first()
            found += self._take()
        return found

    def _is_waiting(self) -> bool:
        return any(self._waiting.values())

    def _take(self) -> list[Entry]:
        """The entries before which no other can come any more, in order."""
        lasts = [own[-1][0] for p, own in self._waiting.items() if p not in self._ended]
        # Behind the last known append of one partition others may have earlier ones.
        horizon = min(lasts, default=None)
        found: list[Entry] = []
        for partition, own in self._waiting.items():
            count = len(own) if horizon is None else count_up_to(own, horizon)
            found += own[:count]
            self._waiting[partition] = own[count:]
        found.sort(key=lambda entry: entry[:2])
        return found

    def _read_first(self) -> None:
        """Read what is behind the position, and what is at it: that has to be there."""
        self._begun = True
        places = {p: self.position.places[p] for p in self._waiting}
        before = {p: write_place(find_place_before(place)) for p, place in places.items()}
        read = self.log.feed_each(before, self._count + 1)
        self._keep({p: drop_known(places[p], pointers) for p, pointers in read.items()})
        self._ended |= {p for p, pointers in read.items() if len(pointers) <= self._count}
        self._last = {p: own[-1][0] if own else places[p] for p, own in self._waiting.items()}

    def _read_on(self) -> None:
        """Read on in the partitions of which nothing waits."""
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
    """How many of these entries, which are in order, are at the horizon or before it."""
    return bisect_right(entries, horizon, key=itemgetter(0))


def find_place_before(place: Place) -> Place:
    """The place behind which the first append is that at `place`, or a later one."""
    time, number = place
    if place == START:
        return START
    return (time, number - 1) if number else (time - 1, LAST_NUMBER)


def drop_known(place: Place, pointers: Sequence[Pointer]) -> Sequence[Pointer]:
    """The pointers behind a place, of those from it on; raises UnknownPosition if it is not there.

    A store that was restored has other appends, whose places may be later than that.
    """
    if place == START:
        return pointers
    if not pointers or parse_position(pointers[0].position) != place:
        raise UnknownPosition
    return pointers[1:]
