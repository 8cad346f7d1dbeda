"""News in the computer's games that nobody has looked at: no process plays them, or it hangs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from service.computer.levels import seats_computer
from service.log.feed_range import parse_position
from service.log.interface import EventLog

LIMIT: Final = 200
"""The most pointers of each partition that are read at once."""


class UnseenNews:
    """Finds the computer's games with news after given positions of the feeds.

    It remembers what it has found, and reads on from there when it is asked about the same
    positions again. So each pointer is read once, however long nobody looks at the games. Their
    streams are those of `kind`.
    """

    def __init__(self, log: EventLog, kind: str) -> None:
        self._log = log
        self._kind = kind
        self._after: dict[int, str] = {}
        self._reached: dict[int, str] = {}
        self._found: dict[str, int] = {}

    def find(self, after: Mapping[int, str]) -> dict[str, int]:
        """The games with news after these positions, as far as the feeds have been read by now.

        Reads up to LIMIT more pointers of each partition. Returns for each game when its first such
        event was appended, in milliseconds since 1970 UTC.
        """
        if after != self._after:
            self._after, self._reached, self._found = dict(after), dict(after), {}
        for partition, pointers in self._log.feed_each(self._reached, LIMIT).items():
            for pointer in pointers:
                self._reached[partition] = pointer.position
                if pointer.stream.kind == self._kind and seats_computer(pointer.audience):
                    at, _ = parse_position(pointer.position)
                    self._found.setdefault(pointer.stream.id, at)
        return dict(self._found)
