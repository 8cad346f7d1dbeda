"""The transposition table: what the search has found out about positions, by their hash.

It has a fixed size; an entry is one integer, as `engine.search.packing` has it. Compiled with
`table.pxd`.

Several processes may use one table without locks (Hyatt and Mann, A Lock-Less Transposition-Table
Implementation for Parallel Search, 2002): beside an entry stands its key exclusive or the entry,
so that an entry that another process has only half written belongs to no position.
"""

from __future__ import annotations

from array import array
from typing import Final

from engine.search import packing

SCORE_SHIFT: Final[int] = packing.SCORE_SHIFT
DEPTH_SHIFT: Final[int] = packing.DEPTH_SHIFT
BOUND_SHIFT: Final[int] = packing.BOUND_SHIFT
GENERATION_SHIFT: Final[int] = packing.GENERATION_SHIFT
SCORE_OFFSET: Final[int] = packing.SCORE_OFFSET
BUCKET: Final = 4  # how many slots a position may stand in


def count_integers(mebibytes: int) -> int:
    """How many integers of 64 bits a table of this size has; ValueError if there is none."""
    if not 1 <= mebibytes <= 4096:
        raise ValueError(mebibytes)
    return 1 << (mebibytes * 131072).bit_length() - 1


class TranspositionTable:
    """A table of `mebibytes`, 1 to 4096, rounded down to a power of two; ValueError otherwise.

    It lies in `memory` if that is given: integers of 64 bits, `count_integers` of them.
    """

    def __init__(self, mebibytes: int, memory: memoryview | None = None) -> None:
        integers = count_integers(mebibytes)
        # Each bucket has four keys, then their entries: what is read together lies together.
        self.slots = array("q", [0]) * integers if memory is None else memory[:integers]
        self.mask: int = integers // 2 - BUCKET
        self.generation: int = 0

    def start_search(self) -> None:
        """Begin a generation: from now on, entries of earlier searches are replaced first."""
        self.generation = (self.generation + 1) & 255

    def probe(self, key: int) -> int:
        """The entry of a position, 0 if there is none."""
        first = 2 * (key & self.mask)
        for slot in range(first, first + 4):
            entry = self.slots[slot + 4]
            if self.slots[slot] ^ entry == key:
                return entry
        return 0

    def store(self, key: int, move: int, score: int, depth: int, bound: int) -> None:
        """Put an entry in the slot that the position has, or the least valuable of its four."""
        first = 2 * (key & self.mask)
        replaced = first
        least: int = 1 << 20
        for slot in range(first, first + 4):
            entry = self.slots[slot + 4]
            if self.slots[slot] ^ entry == key:
                replaced = slot
                break
            value = self.entry_value(entry)
            if value < least:
                least = value
                replaced = slot
        entry = (
            move
            | (score + SCORE_OFFSET) << SCORE_SHIFT
            | depth << DEPTH_SHIFT
            | bound << BOUND_SHIFT
            | self.generation << GENERATION_SHIFT
        )
        self.slots[replaced] = key ^ entry
        self.slots[replaced + 4] = entry

    def entry_value(self, entry: int) -> int:
        """How valuable an entry is, by its depth and whether this search stored it."""
        depth = entry >> DEPTH_SHIFT & 127
        return depth + 256 if entry >> GENERATION_SHIFT == self.generation else depth
