"""Kerd's board and pieces as the integers that the kernel computes with (rules page `kerd.md`).

Square: 16 * (rank + 2) + file + 2 with rank and file 0 to 11, so a1 is 34 and l12 is 221. The
two squares of margin on every side keep every leap inside the 256 cells, and no square is 0.

Piece: colour | kind, and `FRESH` on a Pawn or Commander that still has its first move.

Choice of an infiltrator: the square where the chosen piece stands now, or one of `UNKNOWN`,
`VOID`, `REVEALED` and `WITHOUT`, which are no squares.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

EMPTY: Final = 0
PAWN: Final = 1
COMMANDER: Final = 2
JUMPER: Final = 3
BISHOP: Final = 4
HUSSAR: Final = 5
SCOUT: Final = 6
TOWER: Final = 7
QUEEN: Final = 8
KING: Final = 9
KIND: Final = 15
WHITE: Final = 16
BLACK: Final = 32
COLOURS: Final = 48
PIECE: Final = 63
OFF: Final = 64
FRESH: Final = 128

LAST_ELIGIBLE: Final = HUSSAR
"""Kinds up to this one can be chosen as infiltrators, turned and executed."""
LAST_SHORT: Final = JUMPER
"""Kinds up to this one capture one square diagonally forward."""
BROUGHT_BACK: Final = (QUEEN, TOWER, BISHOP, SCOUT, HUSSAR, JUMPER, COMMANDER)
"""Ruling R22: what a promotion can bring back, in the order in which the pool is written."""
FULL_SET: Final[Mapping[int, int]] = MappingProxyType(
    {KING: 1, QUEEN: 1, TOWER: 2, JUMPER: 2, SCOUT: 2, HUSSAR: 2, BISHOP: 2, COMMANDER: 2, PAWN: 12}
)
"""How many pieces of each kind a side has at the start."""

UNKNOWN: Final = 1
VOID: Final = 2
REVEALED: Final = 3
WITHOUT: Final = 4

MARGIN: Final = 2
"""The squares of margin: what is added to file and rank in a square's number."""

SQUARES: Final = tuple(16 * (rank + 2) + file + 2 for rank in range(12) for file in range(12))
"""a1 to l1, then a2 to l2, up to l12."""

AS_WRITTEN: Final = tuple(
    16 * (rank + 2) + file + 2 for rank in reversed(range(12)) for file in range(12)
)
"""The squares as position strings write them: a12 to l12, then a11 to l11, down to l1."""


def square(file: int, rank: int) -> int:
    """The square on file 0 (a) to 11 (l) and rank 0 (1) to 11 (12).

    >>> square(0, 0), square(11, 11)
    (34, 221)
    """
    return 16 * (rank + 2) + file + 2


TURNED: Final = 240
"""`at ^ TURNED` is to Black what the square `at` is to White: ranks are turned, files are not."""


def file_of(at: int) -> int:
    """The file of a square, 0 to 11."""
    return (at & 15) - 2


def rank_of(at: int) -> int:
    """The rank of a square, 0 to 11."""
    return (at >> 4) - 2


def is_square(choice: int) -> bool:
    """Whether a choice is known and still stands on the board."""
    return choice > WITHOUT


ORTHOGONAL: Final = (16, 1, -16, -1)
DIAGONAL: Final = (17, 15, -17, -15)
AROUND: Final = (*ORTHOGONAL, *DIAGONAL)
L_LEAPS: Final = (33, 31, 18, 14, -33, -31, -18, -14)

AIR_LINES: Final = (5, 6)
"""The files, and likewise the ranks, that are air."""
LAND_FILES: Final = (3, 4, 7, 8)
WATER_REGION: Final = 0
LAND_REGION: Final = 1
AIR_REGION: Final = 2


def region(at: int) -> int:
    """The region of a square, which also says how far a Jumper sees.

    >>> region(square(5, 0)), region(square(3, 6)), region(square(3, 5)), region(square(0, 0))
    (2, 2, 2, 0)
    """
    if file_of(at) in AIR_LINES or rank_of(at) in AIR_LINES:
        return AIR_REGION
    return LAND_REGION if file_of(at) in LAND_FILES else WATER_REGION


def promotes_on(side: int, at: int) -> bool:
    """Whether a Pawn of the side may promote on the square: the first one beyond the air.

    Pawns reach these squares from the air and from nowhere else.
    """
    return rank_of(at) == (7, 4)[side] and file_of(at) not in AIR_LINES


BACK_RANK: Final = (TOWER, JUMPER, SCOUT, HUSSAR, BISHOP, QUEEN)
"""From file a to f; the rest mirrors it, with the King in place of the second Queen."""


def _start() -> dict[int, int]:
    pieces: dict[int, int] = {}
    for colour, ranks in ((WHITE, (0, 1, 2)), (BLACK, (11, 10, 9))):
        back, front, third = ranks
        for file in range(12):
            kind = BACK_RANK[file] if file < 6 else BACK_RANK[11 - file]
            pieces[square(file, back)] = colour | (KING if file == 6 else kind)
            pawn = COMMANDER if file in AIR_LINES else PAWN
            pieces[square(file, front)] = colour | pawn | FRESH
        for file in AIR_LINES:
            pieces[square(file, third)] = colour | PAWN | FRESH
    return pieces


START: Final[Mapping[int, int]] = MappingProxyType(_start())
"""The pieces of the first position by square."""

CASTLING_SIDES: Final = 4
"""White short and long, Black short and long; the right to castling number n is the bit 1 << n."""
KING_HOME: Final = tuple(square(6, rank) for rank in (0, 0, 11, 11))
KING_CASTLED: Final = tuple(square(f, r) for f, r in ((9, 0), (2, 0), (9, 11), (2, 11)))
TOWER_HOME: Final = tuple(square(f, r) for f, r in ((11, 0), (0, 0), (11, 11), (0, 11)))
TOWER_CASTLED: Final = tuple(square(f, r) for f, r in ((8, 0), (4, 0), (8, 11), (4, 11)))
JUMPER_HOME: Final = tuple(square(f, r) for f, r in ((10, 0), (1, 0), (10, 11), (1, 11)))
