"""The pieces of Kerak and their table (rules page `kerak.md`, Pieces)."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from engine.side import Side


class PieceKind(IntEnum):
    """A kind of piece, in the table's order."""

    INFANTRY = 1
    ARCHER = 2
    CAVALRY = 3
    KNIGHT = 4
    HERO = 5
    CASTLE = 6

    @property
    def title(self) -> str:
        """The rule book's word.

        >>> PieceKind.CAVALRY.title
        'Cavalry'
        """
        return self.name.capitalize()


# Each list is indexed by kind; entry 0 belongs to no piece.
NUMBER: Final = [0, 9, 3, 2, 2, 1, 1]
STRENGTH: Final = [0, 1, 1, 1, 2, 2, 2]
MOVES: Final = [0, 1, 1, 3, 2, 3, 0]
VALUE: Final = [0, 1, 2, 2, 3, 3, 0]

CASTLE_SUPPORT: Final = 1
"""What a Castle gives the Infantry and Archers next to it (Ruling R15)."""

MOST_POINTS: Final = sum(number * value for number, value in zip(NUMBER, VALUE, strict=True))

# A piece is one integer, its kind and its side's bit; an empty space is 0.
EMPTY: Final = 0
RED: Final = 8
BLUE: Final = 16
KIND: Final = 7


def piece(side: int, kind: int) -> int:
    """The piece of this side (0 Red, 1 Blue) and kind, as kernels and positions hold it."""
    return RED << side | kind


def kind_of(piece: int) -> PieceKind:
    """The kind of a piece; ValueError for an empty space."""
    return PieceKind(piece & KIND)


def side_of(piece: int) -> Side:
    """The side a piece belongs to.

    >>> side_of(piece(1, PieceKind.HERO))
    <Side.SECOND: 1>
    """
    return Side.SECOND if piece & BLUE else Side.FIRST
