"""Which piece stands on which cell: parsed from requests, read from positions, kept for games.

A placement is a piece's letter in the position string and a cell's name, `Qd4`. Its number is
`cell * letters + letter`: cells are numbered in the order in which the position string writes them,
letters in the order of the board's. For a game, the numbers of its first position are kept, then
for each action those that came or went with it. Each list ends with END, and all of it is
compressed.
"""

from __future__ import annotations

import re
import sys
import zlib
from array import array
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from typing import Final

from engine.comparison import END, NONE, add_all_changes
from service.boards.registry import find_board
from service.errors import BadValue

MOST: Final = 64
"""The most placements in one pattern."""
_FORM: Final = re.compile(r"([A-Za-z])([a-l][1-9][0-2]?)")


@dataclass(frozen=True, slots=True, order=True)
class Placement:
    """A piece's letter and the name of the cell that it stands on."""

    letter: str
    cell: str

    def __str__(self) -> str:
        return f"{self.letter}{self.cell}"


@dataclass(frozen=True, slots=True)
class Numbering:
    """How a variant's placements are numbered; `rows` are its cells in position-string order."""

    letters: Mapping[str, int]
    cells: Mapping[str, int]
    rows: Sequence[Sequence[str]]

    def number(self, placement: Placement) -> int:
        """The number of a placement."""
        return self.cells[placement.cell] * len(self.letters) + self.letters[placement.letter]


@cache
def numbering(variant: str) -> Numbering:
    """The numbering of a variant; raises UnknownVariant."""
    drawn = find_board(variant)
    rows = [[cell.name for cell in row] for row in drawn.rows]
    names = [name for row in rows for name in row]
    return Numbering(
        {letter: number for number, letter in enumerate(drawn.letters)},
        {name: number for number, name in enumerate(names)},
        rows,
    )


@cache
def _number_letters(variant: str) -> bytes:
    """The number of each letter in `Dialect.cells`."""
    numbers = numbering(variant).letters
    return bytes(numbers.get(chr(letter), NONE) for letter in range(256))


def parse_placements(variant: str, texts: Sequence[str]) -> tuple[Placement, ...]:
    """The placements that texts such as `Qd4` name, sorted and without duplicates.

    Raises BadValue for a piece or a cell that the variant does not have and for two pieces on one
    cell, and UnknownVariant.
    """
    known = numbering(variant)
    found: dict[str, Placement] = {}
    for text in texts:
        match = _FORM.fullmatch(text)
        if match is None or match[1] not in known.letters or match[2] not in known.cells:
            said = f"a piece's letter and a cell of {variant}, such as {_example(known)}"
            raise BadValue("pieces", said)
        placement = Placement(match[1], match[2])
        if found.setdefault(placement.cell, placement) != placement:
            raise BadValue("pieces", f"one piece on {placement.cell}")
    if len(found) > MOST:
        raise BadValue("pieces", f"at most {MOST} pieces")
    return tuple(sorted(found.values()))


@dataclass(frozen=True, slots=True)
class PlacementChanges:
    """The placements that came and went in a game, from position to position.

    `encoded` is what is kept of them. `counts` has the numbers of pieces of each letter that were
    on the board at some time, by the letters' numbers.
    """

    encoded: bytes
    counts: Set[bytes]


def find_changes(variant: str, boards: list[bytes]) -> PlacementChanges:
    """The changes, from the boards of all positions as `Dialect.cells` makes them."""
    known = numbering(variant)
    found: list[int] = []
    seen: set[bytes] = set()
    counts = bytearray(len(known.letters))
    nothing = b" " * len(known.cells)
    add_all_changes(nothing, boards, _number_letters(variant), counts, found, seen)
    encoded = zlib.compress(_little_endian(array("H", found)).tobytes())
    return PlacementChanges(encoded, seen)


def came_up(kept: bytes, wanted: Collection[int]) -> bool:
    """Whether a game with these kept changes had all these placements at the same time."""
    changes = array("H")
    changes.frombytes(zlib.decompress(kept))
    changes = _little_endian(changes)
    if not set(wanted).issubset(changes):
        return False
    missing = set(wanted)
    standing: set[int] = set()
    for number in changes:
        if number == END:
            if not missing - standing:
                return True
        elif number in missing:
            standing ^= {number}
    return False


def _little_endian(numbers: array[int]) -> array[int]:
    if sys.byteorder == "big":
        numbers = numbers[:]
        numbers.byteswap()
    return numbers


def _example(known: Numbering) -> str:
    return f"{next(iter(known.letters))}{next(iter(known.cells))}"
