"""Which features Kerak's network has, and where their numbers begin."""

from __future__ import annotations

from typing import Final

from engine.kerak.board import BOARD, SPACES
from engine.kerak.pieces import NUMBER

LAYOUT: Final = "kerak 1"
"""The name of this set of features; it changes whenever the features change."""
KINDS: Final = 12
"""Kinds of piece, told apart by side."""


def _offsets() -> dict[tuple[int, int], int]:
    """The ways from one space to another, as changes of letter and number, in their order."""
    places = BOARD.coordinates
    ways = {(to[0] - at[0], to[1] - at[1]) for at in places for to in places}
    return {way: number for number, way in enumerate(sorted(ways))}


OFFSETS: Final = _offsets()
WAYS: Final = len(OFFSETS)
FROM_ENEMY: Final = SPACES * KINDS
"""Where the features seen from the enemy Castle begin, after those of pieces on their spaces."""
FROM_OWN: Final = FROM_ENEMY + WAYS * KINDS
IN_HAND: Final = FROM_OWN + WAYS * KINDS
MOST_IN_HAND: Final = 9
"""The most pieces of one kind in hand."""
FEATURES: Final = IN_HAND + MOST_IN_HAND * KINDS
MOST: Final = 3 * 2 * sum(NUMBER)
"""The most features that a view has at the same time."""


def mirror() -> list[int]:
    """Each feature's number on the mirrored board, on which letters and numbers are exchanged."""
    spaces = [BOARD.index[number, letter] for letter, number in BOARD.coordinates]
    ways = [OFFSETS[up, right] for right, up in OFFSETS]
    places = [SPACES * kind + space for kind in range(KINDS) for space in spaces]
    offsets = [FROM_ENEMY + WAYS * kind + way for kind in range(2 * KINDS) for way in ways]
    return [*places, *offsets, *range(IN_HAND, FEATURES)]
