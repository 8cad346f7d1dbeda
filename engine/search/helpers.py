"""Others who search the same position at the same time, over the same transposition table.

What a helper finds reaches a search through the table (lazy SMP: Östensson, A Complete Chess
Engine Parallelized Using Lazy SMP, 2016); at the end it takes over what one has found deeper than
itself. Here is what a search asks of them; `service/helpers` has processes that do it.
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
    """What is searched, as `engine.search.Search` has it; `generation` is the table's."""

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
        """An empty table that the helpers use too; ValueError for a size that none has."""

    def adopt(self, variant: Variant, position: Position) -> Position:
        """The same position as helpers are told of it: where it came from may differ in a hash."""

    def begin(self, assignment: Assignment) -> None:
        """Begin to help, without waiting for anybody."""

    def count_nodes(self, own: int) -> int:
        """The nodes of all since `begin`, of which the search itself has entered `own`."""

    def find_deepest(self) -> Finding | None:
        """What the deepest search has found that a helper has finished since `begin`."""

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
        """Nobody begins."""

    def count_nodes(self, own: int) -> int:
        """The search's own nodes."""
        return own

    def find_deepest(self) -> Finding | None:
        """Nobody has found anything."""
        return None

    def end(self) -> None:
        """Nobody ends."""


class SameMemory(Alone):
    """No helpers, and the same memory for the table of each search, which ends the one before.

    To empty it takes less than to have the system map as much for a search of few nodes.
    """

    def __init__(self) -> None:
        self._memory = array("q")

    def make_table(self, mebibytes: int) -> TranspositionTable:
        """An empty table where that of the search before was."""
        integers = count_integers(mebibytes)
        if len(self._memory) == integers:
            place, _ = self._memory.buffer_info()
            memset(place, 0, self._memory.itemsize * integers)
        else:
            self._memory = array("q", [0]) * integers
        return TranspositionTable(mebibytes, memoryview(self._memory))


ALONE: Final = Alone()
