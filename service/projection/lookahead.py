"""What somebody waits for is projected before the thousands of records in front of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from service.imports import repository as imports
from service.log.checkpoints import order
from service.log.feed_range import Piece, Stretch
from service.log.interface import EventLog
from service.log.values import Pointer
from service.tournament import repository as tournaments

CROWD: Final = 100
"""Pointers that are worth overtaking."""
MOST: Final = 5000
"""Pointers that are dealt with ahead of their turn and remembered until it has come."""
SOUGHT: Final = frozenset({imports.KIND, tournaments.KIND})
"""The kinds of streams whose beginnings somebody looks for in a list, without being told."""


class Lookahead:
    """Finds changes that concern somebody, far beyond where the projector is.

    An import makes new streams by the thousand, and nobody waits for any one of them; people wait
    for their games, and for whatever goes on. What was dealt with early is left out when its turn
    comes, and after a crash dealt with again.
    """

    def __init__(self, events: EventLog, kinds: Collection[str]) -> None:
        self.events = events
        self.kinds = kinds
        self._looked: dict[int, str] = {}
        self._early: set[tuple[int, str]] = set()

    def is_crowded(self, came: Iterable[Sequence[Pointer]]) -> bool:
        """Whether most of what came concerns nobody, and is much: else all take their turn."""
        idle = [concerns_nobody(pointer) for pointers in came for pointer in pointers]
        return sum(idle) > max(CROWD, len(idle) / 2)

    def pressing(self, reached: Mapping[int, str], most: int) -> list[Piece]:
        """At most so many pointers that have not to wait for their turn, each with its stretch."""
        self._looked = {
            partition: max(position, self._looked.get(partition, position), key=order)
            for partition, position in reached.items()
        }
        found: list[Piece] = []
        if len(self._early) + most > MOST:
            return found
        for partition, pointer in self.events.wait(self._looked, 0):
            after = self._looked[partition]
            self._looked[partition] = pointer.position
            if pointer.stream.kind in self.kinds and not concerns_nobody(pointer):
                self._early.add((partition, pointer.position))
                stretch = Stretch(partition, after, pointer.position)
                found.append(Piece(stretch, [pointer]))
                if len(found) == most:
                    break
        return found

    def left(self, piece: Piece) -> Piece:
        """What of a piece is still to be dealt with, now that its turn has come."""
        partition = piece.stretch.partition
        early = {(partition, pointer.position) for pointer in piece.pointers} & self._early
        if not early:
            return piece
        self._early -= early
        pointers = [one for one in piece.pointers if (partition, one.position) not in early]
        return Piece(piece.stretch, pointers)


def concerns_nobody(pointer: Pointer) -> bool:
    """Whether it is the beginning of something for which nobody waits."""
    sought = pointer.audience or pointer.stream.kind in SOUGHT
    return pointer.first == 1 and not sought
