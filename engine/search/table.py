"""The transposition table: what the search has found out about positions, by their hash.

It has a fixed size; an entry is one integer, as `engine.search.packing` has it. Compiled with
`table.pxd`.
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
BUCKET: Final = 4  # a position may stand in any of so many slots


class TranspositionTable:
    """A table of `mebibytes`, 1 to 4096, rounded down to a power of two; ValueError otherwise."""

    def __init__(self, mebibytes: int) -> None:
        if not 1 <= mebibytes <= 4096:
            raise ValueError(mebibytes)
        entries = 1 << (mebibytes * 65536).bit_length() - 1
        # Of each bucket four keys, then their entries: what is looked at together lies together.
        self.slots = array("q", [0]) * (2 * entries)
        self.mask: int = entries - BUCKET
        self.generation: int = 0

    def start_search(self) -> None:
        """Begin a generation: what earlier searches stored is replaced first from now on."""
        self.generation = (self.generation + 1) & 255

    def probe(self, key: int) -> int:
        """The entry of a position, 0 if there is none."""
        first = 2 * (key & self.mask)
        for slot in range(first, first + 4):
            if self.slots[slot] == key:
                return self.slots[slot + 4]
        return 0

    def store(self, key: int, move: int, score: int, depth: int, bound: int) -> None:
        """Put an entry in the slot of the position's own, or of the least valuable of four."""
        first = 2 * (key & self.mask)
        replaced = first
        least: int = 1 << 20
        for slot in range(first, first + 4):
            if self.slots[slot] == key:
                replaced = slot
                break
            value = self.entry_value(self.slots[slot + 4])
            if value < least:
                least = value
                replaced = slot
        self.slots[replaced] = key
        self.slots[replaced + 4] = (
            move
            | (score + SCORE_OFFSET) << SCORE_SHIFT
            | depth << DEPTH_SHIFT
            | bound << BOUND_SHIFT
            | self.generation << GENERATION_SHIFT
        )

    def entry_value(self, entry: int) -> int:
        """How much an entry is worth keeping: its depth, and whether this search stored it."""
        depth = entry >> DEPTH_SHIFT & 127
        return depth + 256 if entry >> GENERATION_SHIFT == self.generation else depth
