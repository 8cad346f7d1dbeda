"""Kerd's actions, packed into integers.

Bits 0 to 7 hold the origin and 8 to 15 the target of the piece that acts, 16 to 19 the kind
that a promotion brings back, 20 to 23 where the partner of a joint advance stands (1 + its index
in `AROUND`, seen from the Commander), 24 and 25 what is done. A reveal or an execution has its
square as both origin and target.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from engine.kerd.board import AROUND
from engine.position import Action

TO: Final = 8
PROMOTION: Final = 16
PARTNER: Final = 20
"""The first bits of the target, the kind brought back and the partner."""


class Deed(IntEnum):
    """What an action does."""

    MOVE = 0
    CASTLE = 1
    REVEAL = 2
    EXECUTE = 3


def move(origin: int, target: int, promotion: int = 0) -> Action:
    """A move, a capture or a castling's plain half; `promotion` is the kind brought back."""
    return Action(origin | target << TO | promotion << PROMOTION)


def castle(origin: int, target: int) -> Action:
    """The King's move of a castling."""
    return Action(origin | target << TO | Deed.CASTLE << 24)


def reveal(square: int) -> Action:
    """The reveal of the infiltrator on a square."""
    return Action(square | square << TO | Deed.REVEAL << 24)


def execute(square: int) -> Action:
    """The execution of the own piece on a square."""
    return Action(square | square << TO | Deed.EXECUTE << 24)


def deed(action: Action) -> Deed:
    """What the action does.

    >>> deed(reveal(34))
    <Deed.REVEAL: 2>
    """
    return Deed(action >> 24)


def origin(action: Action) -> int:
    """The square of the piece that acts, or is acted upon, before the action."""
    return action & 255


def target(action: Action) -> int:
    """The square of that piece after the action, or where it stood."""
    return action >> TO & 255


def promotion(action: Action) -> int:
    """The kind that is brought back, or 0."""
    return action >> PROMOTION & 15


def pawn(action: Action) -> int | None:
    """The square of the Pawn before a joint advance, None for other actions."""
    partner = action >> PARTNER & 15
    return (action & 255) + AROUND[partner - 1] if partner else None
