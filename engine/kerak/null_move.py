"""Kerak's null move, once all pieces are placed."""

from __future__ import annotations

from engine.kerak.board import SPACES
from engine.kerak.kernel import Position
from engine.kerak.validity import PIECES


def null_move(position: Position) -> Position:
    """See `engine.variant.Variant.null_move`; raises InvalidPosition if a piece is in hand."""
    return Position(
        {at: piece for at in range(SPACES) if (piece := position.piece_at(at))},
        1 - position.side,
        {piece: position.in_hand(piece) for piece in PIECES},
        points=position.points(),
        number=position.number,
    )
