"""Katruji's null move."""

from __future__ import annotations

from engine.katruji.board import SQUARES
from engine.katruji.kernel import Position


def null_move(position: Position) -> Position:
    """See `engine.variant.Variant.null_move`."""
    after = Position()
    after.assign(
        {at: piece for at in SQUARES if (piece := position.piece_at(at))},
        1 - position.side,
        position.points(),
        0,
        position.clock,
        position.declarer,
        position.number,
    )
    return after
