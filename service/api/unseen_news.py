"""News in the computer's games that nobody has looked at: no process plays them, or it hangs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from service.computer.levels import seats_computer
from service.game.repository import KIND
from service.log.feed_range import parse_position
from service.log.interface import EventLog

LIMIT: Final = 200
"""The most pointers that are read of each partition."""


def find_unseen_news(log: EventLog, positions: Mapping[int, str]) -> dict[str, int]:
    """The computer's games with news after these positions of the feeds.

    Returns for each game when its first such event was appended, in milliseconds since 1970 UTC.
    """
    found: dict[str, int] = {}
    for pointers in log.feed_each(positions, LIMIT).values():
        for pointer in pointers:
            if pointer.stream.kind == KIND and seats_computer(pointer.audience):
                found.setdefault(pointer.stream.id, parse_position(pointer.position)[0])
    return found
