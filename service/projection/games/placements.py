"""Which piece stands on which cell: parsed from requests, read from positions, kept as bits.

A placement is a piece's letter in the position string and a cell's name, `Qd4`. The bits of a game
tell each placement that came up in it: bit `cell * letters + letter`, the cells in the order in
which the position string writes them, the letters in the order of the board's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from service.boards.board import Board
from service.boards.registry import board
from service.boards.scene import placed
from service.errors import BadValue

MOST: Final = 64
"""Placements in one pattern at most."""
_FORM: Final = re.compile(r"([A-Za-z])([a-l][1-9][0-2]?)")


@dataclass(frozen=True, slots=True, order=True)
class Placement:
    """A piece's letter and the name of the cell that it stands on."""

    letter: str
    cell: str

    def __str__(self) -> str:
        return f"{self.letter}{self.cell}"


@dataclass(frozen=True, slots=True)
class Bits:
    """Which bit stands for which placement of a variant."""

    letters: Mapping[str, int]
    cells: Mapping[str, int]

    @property
    def size(self) -> int:
        """Bytes that hold all bits."""
        return (len(self.letters) * len(self.cells) + 7) // 8

    def of(self, placement: Placement) -> int:
        """The number with this placement's bit set alone."""
        at = self.cells[placement.cell] * len(self.letters) + self.letters[placement.letter]
        return 1 << at

    def union(self, placements: Iterable[Placement]) -> int:
        """The number with the bits of all these placements set."""
        found = 0
        for placement in placements:
            found |= self.of(placement)
        return found


@cache
def bits(variant: str) -> Bits:
    """The bits of a variant; raises UnknownVariant."""
    drawn: Board = board(variant)
    cells = [cell.name for row in drawn.rows for cell in row]
    return Bits(
        {letter: number for number, letter in enumerate(drawn.letters)},
        {name: number for number, name in enumerate(cells)},
    )


def parse_placements(variant: str, texts: Sequence[str]) -> tuple[Placement, ...]:
    """The placements that texts such as `Qd4` name, sorted and each once.

    Raises BadValue for a piece or a cell that the variant does not have and for two pieces on one
    cell, UnknownVariant.
    """
    known = bits(variant)
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


def find_placements(variant: str, fen: str) -> frozenset[Placement]:
    """Every piece on the board of a canonical FEN; raises BadFen and UnknownVariant."""
    standing = placed(board(variant), fen)
    return frozenset(Placement(letter, cell) for cell, letter in standing.items())


def _example(known: Bits) -> str:
    return f"{next(iter(known.letters))}{next(iter(known.cells))}"
