"""What Kerd's network sees of a position; compiled with `features.pxd`.

A feature is a number; each of the two sides has a view with features of its own: which piece
stands on which square.
"""

from __future__ import annotations

from typing import Final

from engine.kerd import board as tables
from engine.kerd import layout
from engine.kerd.board import EMPTY, PIECE
from engine.kerd.kernel import Position
from engine.kerd.state import State
from engine.learned.network import Accumulator

SQUARES: Final = list(tables.SQUARES)
FEATURE: Final = layout.list_numbers()


def add_piece(accumulator: Accumulator, piece: int, at: int) -> None:
    """Add the features of what stands on a square."""
    if piece & PIECE != EMPTY:
        accumulator.add(0, FEATURE[(piece & PIECE) << 8 | at])
        accumulator.add(1, FEATURE[1 << 14 | (piece & PIECE) << 8 | at])


def remove_piece(accumulator: Accumulator, piece: int, at: int) -> None:
    """Undo `add_piece`."""
    if piece & PIECE != EMPTY:
        accumulator.remove(0, FEATURE[(piece & PIECE) << 8 | at])
        accumulator.remove(1, FEATURE[1 << 14 | (piece & PIECE) << 8 | at])


def add_position(state: State, accumulator: Accumulator) -> None:
    """Add all features of a position to an accumulator that has none yet."""
    for at in SQUARES:
        add_piece(accumulator, state.board[at], at)


def features(position: Position, view: int) -> list[int]:
    """All features of a side's view."""
    found: list[int] = []
    for at in SQUARES:
        piece = position.state.board[at] & PIECE
        if piece != EMPTY:
            found.append(FEATURE[view << 14 | piece << 8 | at])
    return found
