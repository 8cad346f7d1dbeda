"""Kerak's actions as integers: a move, a placement, the pass.

A move is `origin << 6 | target`, a placement `kind << 12 | space`, the pass 7 << 12; spaces are
indexes of `engine.kerak.board`.
"""

from __future__ import annotations

from typing import Final

from engine.kerak.pieces import PieceKind
from engine.position import Action

PASS: Final = Action(7 << 12)
"""The one action of a side without a legal move (Ruling R16)."""


def move(origin: int, target: int) -> Action:
    """The move or capture from one space to another, legal or not."""
    return Action(origin << 6 | target)


def placement(kind: int, space: int) -> Action:
    """The placement of a piece of this kind."""
    return Action(kind << 12 | space)


def is_move(action: Action) -> bool:
    """Whether an action is a move or capture."""
    return action >> 12 == 0


def origin_of(action: Action) -> int:
    """Where a move begins."""
    return action >> 6 & 63


def target_of(action: Action) -> int:
    """Where a move ends, or where a placement puts its piece."""
    return action & 63


def placed(action: Action) -> PieceKind:
    """The kind of piece that a placement puts on the board."""
    return PieceKind(action >> 12)
