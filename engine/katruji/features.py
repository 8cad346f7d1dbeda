"""What Katruji's network sees of a position; compiled with `features.pxd`.

A feature is a number; each of the two sides has a view with features of its own. A side's view is
of the board turned so that its own hajat is South's: which piece stands where, its points, the
enemy's, their difference, and how far the clock has run for whom.
"""

from __future__ import annotations

from typing import Final

from engine.katruji import board as packing
from engine.katruji.kernel import Position
from engine.learned.network import Accumulator

LAYOUT: Final = "katruji 1"
"""The name of this set of features; it changes whenever the features change."""
EMPTY: Final[int] = packing.EMPTY
NOBODY: Final[int] = packing.NOBODY
QUIET: Final[int] = packing.QUIET
TIMER: Final[int] = packing.TIMER
SQUARES: Final = list(packing.SQUARES)

# Where the kinds of features begin, and up to which value they are told apart.
MOST_POINTS: Final = 17
MOST_AHEAD: Final = 8
POINTS: Final = 96
AHEAD: Final = 132
CLOCK: Final = 149
FEATURES: Final = 165
STATE: Final = 4
"""How many features of a view belong to no piece."""
MOST: Final = 32 + STATE
"""The most features that a view has at the same time."""


def _piece_feature(view: int, square: int, piece: int) -> int:
    at = packing.SQUARES.index(59 - square if view else square)
    return 32 * (piece - 1) + at


PIECE: Final = [
    _piece_feature(view, square, piece) if piece and square in packing.SQUARES else 0
    for view in range(2)
    for square in range(64)
    for piece in range(4)
]
"""The features of pieces, by view << 8 | square << 2 | piece."""


def count_state(position: Position, view: int, found: list[int]) -> None:
    """Put a view's features that belong to no piece into a list of length `STATE`."""
    own = position.score[view]
    enemy = position.score[1 - view]
    found[0] = POINTS + min(own, MOST_POINTS)
    found[1] = POINTS + 1 + MOST_POINTS + min(enemy, MOST_POINTS)
    found[2] = AHEAD + MOST_AHEAD + max(-MOST_AHEAD, min(MOST_AHEAD, own - enemy))
    if position.declarer == NOBODY:
        found[3] = CLOCK + min(position.clock, QUIET)
    elif position.declarer == view:
        found[3] = CLOCK + QUIET + 1 + min(position.clock, TIMER)
    else:
        found[3] = CLOCK + QUIET + TIMER + 2 + min(position.clock, TIMER)


def add_pieces(position: Position, accumulator: Accumulator) -> None:
    """Add the features of all pieces."""
    for square in SQUARES[:32]:
        piece = position.board[square]
        if piece != EMPTY:
            exchange_piece(accumulator, square, EMPTY, piece)


def exchange_piece(accumulator: Accumulator, square: int, before: int, after: int) -> None:
    """Update the features where the piece on a square changes from `before` to `after`."""
    at = square << 2
    if before != EMPTY:
        accumulator.remove(0, PIECE[at | before])
        accumulator.remove(1, PIECE[256 | at | before])
    if after != EMPTY:
        accumulator.add(0, PIECE[at | after])
        accumulator.add(1, PIECE[256 | at | after])


def add_state(position: Position, accumulator: Accumulator) -> None:
    """Add all other features."""
    found = [0, 0, 0, 0]
    for view in range(2):
        count_state(position, view, found)
        for i in range(STATE):
            accumulator.add(view, found[i])


def features(position: Position, view: int) -> list[int]:
    """All features of a side's view."""
    found = [0, 0, 0, 0]
    count_state(position, view, found)
    seen = [found[i] for i in range(STATE)]
    for square in SQUARES[:32]:
        piece = position.board[square]
        if piece != EMPTY:
            seen.append(PIECE[view << 8 | square << 2 | piece])
    return seen
