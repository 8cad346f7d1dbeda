"""Helpers that search the same position at the same time, over the same transposition table.

What a helper finds reaches a search through the table (lazy SMP: Östensson, A Complete Chess
Engine Parallelized Using Lazy SMP, 2016). At the end the search takes over what a helper has found
at a greater depth than its own. This module is the interface; `service/helpers` has the processes.
"""

from __future__ import annotations

from array import array
from ctypes import memset
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from engine.position import Action, Position
from engine.search.parameters import Parameters
from engine.search.table import TranspositionTable, count_integers
from engine.search.techniques import Techniques

if TYPE_CHECKING:
    from engine.variant import Variant


@dataclass(frozen=True, slots=True)
class Assignment:
    """The search to help with, as in `engine.search.Search`; `generation` is the table's."""

    variant: Variant
    position: Position
    techniques: Techniques
    parameters: Parameters
    draw_by_points: bool
    seed: int
    generation: int
    lines: int
    actions: frozenset[Action] | None


@dataclass(frozen=True, slots=True)
class Finding:
    """The best action by a search to a depth, and its score (`engine.search.score`)."""

    depth: int
    score: int
    action: Action


class Helpers(Protocol):
    """Helpers of one search at a time."""

    def make_table(self, mebibytes: int) -> TranspositionTable:
        """An empty table that the helpers use too; ValueError for an impossible size."""

    def adopt(self, variant: Variant, position: Position) -> Position:
        """The position as the helpers get it: the way it was reached may change its hash."""

    def begin(self, assignment: Assignment) -> None:
        """Have the helpers begin, without waiting for them."""

    def count_nodes(self, own: int) -> int:
        """The nodes of all searchers since `begin`, including `own`, those of the search itself."""

    def find_deepest(self) -> Finding | None:
        """The finding of the deepest search that a helper has finished since `begin`."""

    def end(self) -> None:
        """The search is over."""


class Alone:
    """No helpers at all."""

    def make_table(self, mebibytes: int) -> TranspositionTable:
        """A table of the search's own."""
        return TranspositionTable(mebibytes)

    def adopt(self, variant: Variant, position: Position) -> Position:
        """The position itself."""
        return position

    def begin(self, assignment: Assignment) -> None:
        """Do nothing."""

    def count_nodes(self, own: int) -> int:
        """The search's own nodes."""
        return own

    def find_deepest(self) -> Finding | None:
        """None: there are no helpers."""
        return None

    def end(self) -> None:
        """Do nothing."""


class SameMemory(Alone):
    """No helpers, and the same memory for the table of each search, which ends the one before.

    For a search of few nodes, emptying it is faster than having the system map as much memory.
    """

    def __init__(self) -> None:
        self._memory = array("q")

    def make_table(self, mebibytes: int) -> TranspositionTable:
        """An empty table in the memory of the previous search's table."""
        integers = count_integers(mebibytes)
        if len(self._memory) == integers:
            place, _ = self._memory.buffer_info()
            memset(place, 0, self._memory.itemsize * integers)
        else:
            self._memory = array("q", [0]) * integers
        return TranspositionTable(mebibytes, memoryview(self._memory))


ALONE: Final = Alone()
