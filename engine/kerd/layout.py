"""Which features Kerd's network has."""

from __future__ import annotations

from typing import Final

from engine.kerd.board import KIND, KING, PIECE, SQUARES, TURNED, WHITE

LAYOUT: Final = "kerd 1"
"""The name of this set of features; it changes whenever the features change."""
KINDS: Final = 2 * KING
"""Kinds of piece, told apart by side."""
FEATURES: Final = KINDS * len(SQUARES)
MOST: Final = 56
"""At least as many features as a view can have at the same time: one for each piece.

Two sets have 52, and in positions that are set up each side may have one more (setup.py).
"""


def number_feature(view: int, piece: int, at: int) -> int:
    """The feature of a piece on a square, as a side sees it: its own pieces first.

    A side's view is of the board turned so that its own pieces begin at rank 1.
    """
    own = bool(piece & WHITE << view)
    number = (piece & KIND) - 1 + (0 if own else KING)
    return number * len(SQUARES) + SQUARES.index(at ^ TURNED if view else at)


def list_numbers() -> list[int]:
    """The features of pieces on squares, by view << 14 | piece << 8 | square; 0 for nothing."""
    return [
        number_feature(view, piece, at) if at in SQUARES and 0 < piece & KIND <= KING else 0
        for view in range(2)
        for piece in range(PIECE + 1)
        for at in range(256)
    ]


def mirror() -> list[int]:
    """Each feature's number on the board mirrored left to right."""
    return [feature + 11 - 2 * (feature % 12) for feature in range(FEATURES)]
