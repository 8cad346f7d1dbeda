"""What a position of Kerd or Kerd Draft is worth, in hundredths of a Pawn."""

from __future__ import annotations

from typing import Final

from engine.kerd import board as tables
from engine.kerd.board import KIND, WHITE
from engine.kerd.kernel import Position

SQUARES: Final = list(tables.SQUARES)
# By kind; a King is not counted.
WORTH: Final = [0, 100, 150, 250, 300, 400, 450, 550, 1000, 0]


def material(position: Position) -> int:
    """The worth of the pieces of the side to act less that of the other's."""
    own = WHITE << position.side
    total: int = 0
    for at in SQUARES:
        piece = position.board[at]
        if piece & own:
            total += WORTH[piece & KIND]
        else:
            total -= WORTH[piece & KIND]
    return total


def evaluate(position: Position) -> int:
    """The static evaluation from the view of the side to act."""
    return material(position)
