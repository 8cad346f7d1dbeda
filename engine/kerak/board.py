"""Kerak's board: a list of row lengths, and all that follows from it.

A space has a letter and a number; horizontal rows are the spaces of one letter-plus-number sum
(rules page `kerak.md`, Board; Rulings R10 and R11). Spaces are numbered in the order of their
names, and everything here speaks of them by that index.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

STEPS: Final = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
"""The six neighbours of a space, as changes of letter and number."""


@dataclass(frozen=True)
class HexBoard:
    """A board of hexagonal spaces in horizontal rows.

    `row_lengths` begins with the row nearest the first side; each row is one space longer or
    shorter than the one before. A longer row begins at the same letter, a shorter one a letter
    later.

    >>> HexBoard((2, 3, 2)).names
    ('a2', 'a3', 'b1', 'b2', 'b3', 'c1', 'c2')
    """

    row_lengths: tuple[int, ...]

    @cached_property
    def coordinates(self) -> tuple[tuple[int, int], ...]:
        """Letter (a = 1) and number of each space."""
        return tuple(sorted(space for row in self._rows for space in row))

    @cached_property
    def _rows(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        rows = []
        letter = 1
        before = self.row_lengths[0]
        for index, length in enumerate(self.row_lengths):
            letter += length < before
            before = length
            total = self.row_lengths[0] + 1 + index
            rows.append(tuple((at, total - at) for at in range(letter, letter + length)))
        return tuple(rows)

    @cached_property
    def index(self) -> Mapping[tuple[int, int], int]:
        """The space for each pair of a letter and a number."""
        return {place: space for space, place in enumerate(self.coordinates)}

    @cached_property
    def rows(self) -> tuple[tuple[int, ...], ...]:
        """The spaces of each row in order of rising letter, the first side's nearest row first."""
        return tuple(tuple(self.index[place] for place in row) for row in self._rows)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of each space, letter before number."""
        return tuple(f"{chr(ord('a') + letter - 1)}{number}" for letter, number in self.coordinates)

    @cached_property
    def neighbours(self) -> tuple[tuple[int | None, ...], ...]:
        """The neighbours of each space in the order of `STEPS`, None beyond the edge."""
        return tuple(
            tuple(self.index.get((letter + right, number + up)) for right, up in STEPS)
            for letter, number in self.coordinates
        )

    def distance(self, one: int, other: int) -> int:
        """How many steps two spaces lie apart on an empty board."""
        (letter, number), (to_letter, to_number) = self.coordinates[one], self.coordinates[other]
        right, up = to_letter - letter, to_number - number
        return max(abs(right), abs(up), abs(right + up))

    def around(self, space: int, near: int, far: int) -> int:
        """The spaces at a distance of `near` to `far` from a space, as a bit set."""
        spaces = range(len(self.coordinates))
        return sum(1 << at for at in spaces if near <= self.distance(space, at) <= far)


BOARD: Final = HexBoard((5, 6, 7, 8, 9, 8, 7, 6, 5))
SPACES: Final = len(BOARD.coordinates)
AS_WRITTEN: Final = tuple(space for row in BOARD.rows[::-1] for space in row)
"""The spaces as position strings write them: the row farthest from the first side comes first."""
OFF: Final = SPACES
"""Stands in kernels for everything beyond the edge."""

# Sets of spaces are integers with one bit each.
BIT: Final = [1 << space for space in range(SPACES)]
EVERYWHERE: Final = sum(BIT)
NEXT_TO: Final = [BOARD.around(space, 1, 1) for space in range(SPACES)]
WITHIN_TWO: Final = [BOARD.around(space, 1, 2) for space in range(SPACES)]
HOME: Final = [
    sum(BIT[space] for row in rows for space in row) for rows in (BOARD.rows[:3], BOARD.rows[-3:])
]
"""The three rows nearest each side: where it places its army."""


def _edges() -> list[int]:
    """Where each step leads: entry 6 * space + direction, then one step that leads nowhere."""
    return [OFF if to is None else to for row in BOARD.neighbours for to in row] + [OFF]


def _ahead(to: list[int]) -> list[int]:
    """The steps that may follow each step, three entries a step, padded with the step to nowhere.

    After the step from a to b, the next may neither return to a nor touch it. For pieces, which
    have two or three steps, that is the whole no-touch rule: a path that never turns back onto the
    space left before the last cannot touch an earlier one either.
    """
    nowhere = len(to) - 1
    ahead: list[int] = []
    for step, middle in enumerate(to[:-1]):
        following = range(6 * middle, 6 * middle + 6) if middle != OFF else range(0)
        free = [e for e in following if to[e] != OFF and BOARD.distance(step // 6, to[e]) > 1]
        ahead += free + [nowhere] * (3 - len(free))
    return ahead + [nowhere] * 3


STEP_TO: Final = _edges()
STEP_AHEAD: Final = _ahead(STEP_TO)
