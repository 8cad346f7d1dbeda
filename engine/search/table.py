"""The transposition table: what the search has found out about positions, by their hash.

It has a fixed size; an entry is one integer, as `engine.search.packing` has it. Compiled with
`table.pxd`.
"""

from __future__ import annotations

from array import array
from typing import Final

from engine.search import packing

SCORE: Final[int] = packing.SCORE
DEPTH: Final[int] = packing.DEPTH
BOUND: Final[int] = packing.BOUND
AGE: Final[int] = packing.AGE
OFFSET: Final[int] = packing.OFFSET
SLOTS: Final = 4  # a position may stand in any of these


class Table:
    """A table of `mebibytes`, 1 to 4096, rounded down to a power of two; ValueError otherwise."""

    def __init__(self, mebibytes: int) -> None:
        if not 1 <= mebibytes <= 4096:
            raise ValueError(mebibytes)
        entries = 1 << (mebibytes * 65536).bit_length() - 1
        self.keys = array("q", bytes(8 * entries))
        self.entries = array("q", bytes(8 * entries))
        self.mask: int = entries - SLOTS
        self.age: int = 0

    def begin(self) -> None:
        """Tell the entries of the search that begins from older ones."""
        self.age = (self.age + 1) & 255

    def probe(self, key: int) -> int:
        """The entry of a position, 0 if there is none."""
        first = key & self.mask
        for slot in range(first, first + 4):
            if self.keys[slot] == key:
                return self.entries[slot]
        return 0

    def store(self, key: int, action: int, score: int, depth: int, bound: int) -> None:
        """Put an entry in the place of the position's own, or of the least worthy of four."""
        first = key & self.mask
        place = first
        least: int = 1 << 20
        for slot in range(first, first + 4):
            if self.keys[slot] == key:
                place = slot
                break
            worth = self.worth(self.entries[slot])
            if worth < least:
                least = worth
                place = slot
        self.keys[place] = key
        self.entries[place] = (
            action | (score + OFFSET) << SCORE | depth << DEPTH | bound << BOUND | self.age << AGE
        )

    def worth(self, entry: int) -> int:
        """How much an entry is worth keeping: its depth, and that the last search needed it."""
        depth = entry >> DEPTH & 127
        return depth + 256 if entry >> AGE == self.age else depth
