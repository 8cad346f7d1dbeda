"""Kerd's null move, which not even a check forbids."""

from __future__ import annotations

from engine.kerd.board import BROUGHT_BACK, SQUARES, WHITE
from engine.kerd.kernel import Position
from engine.kerd.state import State
from engine.side import Side


def null_move(position: Position) -> Position:
    """See `engine.variant.Variant.null_move`."""
    after = Position(State(position.rules))
    after.assign(
        {at: position.piece_at(at) for at in SQUARES},
        1 - position.side,
        position.castlings,
        0,
        (position.choice_of(0), position.choice_of(1)),
        position.checked,
        {
            WHITE << side | kind: position.pool_of(side, kind)
            for side in Side
            for kind in BROUGHT_BACK
        },
        position.number,
    )
    return after
