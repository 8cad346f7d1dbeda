"""The terms that Kerd's evaluation counts, and what each is worth.

How pieces and terms were measured is in `docs/evaluation.md`.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final


class Term(IntEnum):
    """What is counted: White's less Black's. The first eight are pieces on the board."""

    PAWNS = 0
    COMMANDERS = 1
    JUMPERS = 2
    BISHOPS = 3
    HUSSARS = 4
    SCOUTS = 5
    TOWERS = 6
    QUEENS = 7
    BISHOP_MOVES = 8
    """Squares that Bishops can move to or capture on; the next four do so for other pieces."""
    HUSSAR_MOVES = 9
    SCOUT_MOVES = 10
    TOWER_MOVES = 11
    QUEEN_MOVES = 12
    JUMPERS_SIGHT = 13
    """Regions for Jumpers: how many empty squares each can see over, by where it stands."""
    IN_AIR = 14
    """Regions for the other pieces that they bind: Bishops and Hussars in the air."""
    ADVANCE = 15
    """Ranks that Pawns and Commanders are ahead of the second."""
    PROMOTION = 16
    """Promotion chances: for each Pawn, the worth in Pawns of the best piece to bring back, times
    four on the last rank before promotion, two on the first rank of the air, and one on land or
    water just before the air."""
    STRANDED = 17
    """Pawns behind the squares where they could promote."""
    KING_ATTACKED = 18
    """Squares on and around the enemy King that own pieces other than Pawns, Commanders, Jumpers
    and the King could capture on or move to."""
    KING_SHIELD = 19
    """Own Pawns and Commanders next to the own King."""
    KING_OPEN = 20
    """Empty squares on the eight lines from the own King."""
    READY = 21
    """Unused reveals: Pawns' worth of the own infiltrator, once a King has been in check."""
    LATENT = 22
    """The same before either King has been in check."""
    FORKED = 23
    """Enemy pieces above the Jumper that own Pawns, Commanders and Jumpers can capture."""
    CASTLING = 24
    """Castlings whose King and Tower have not moved."""
    TURN = 25
    """The turn."""
    ON_SQUARES = 26
    """The values of the pieces' squares from `engine.kerd.piece_squares`."""


WORTH: Final = [0, 100, 40, 150, 320, 210, 215, 480, 1130, 0]
"""The value of a piece of each kind where nothing else is counted; a King is not counted."""
WEIGHTS: Final = (
    *(100, 12, 84, 253, 228, 236, 401, 943),
    *(0, -1, 0, 2, -1),
    *(5, 20, 6, 2, -123, 6, 7, -1, 97, 98, 20, 29, -3, 1),
)
"""Hundredths of a Pawn for one of each term."""
SCALE: Final = 596
"""Hundredths of a Pawn for each unit of the logarithm of winning's odds."""
DRAFT_WEIGHTS: Final = (
    *(100, 40, 200, 310, 240, 215, 480, 1150),
    *(1, 0, 3, 4, 3),
    *(-18, 40, 6, 3, -100, 8, 6, -2, 70, 150, 20, 60, 8, 0),
)
"""The same for Kerd Draft, where nobody promotes and a King is captured."""
DRAFT_SCALE: Final = 600
