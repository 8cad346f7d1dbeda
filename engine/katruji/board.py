"""Katruji's board, pieces and actions as the integers that the kernel computes with.

Square: 8 * rank + file with rank 0 to 7 and file 0 to 3, so a1 is 0, d1 is 3, a8 is 56. Its bit
32 says whose hajat it lies in (0 South, 1 North).

Piece: the points it is worth when captured; a promotion makes the next one.

Action: a move is origin << 6 | target whatever it does there, a capture or a promotion being
known from what stands on the target; `KYAN` and `ALKA` are the two numbers above all moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine.position import Action

EMPTY: Final = 0
PRIVATE: Final = 1
SERGEANT: Final = 2
OFFICER: Final = 3

KYAN: Final = Action(4096)
ALKA: Final = Action(4097)

YARA_POINTS: Final = 18
"""The points that win at once."""

QUIET: Final = 7
"""Moves without a capture before Kyan-A-Alka may be declared."""
TIMER: Final = 3
"""Moves on the timer before Alka may be claimed."""

NOBODY: Final = -1
"""The declarer of Kyan-A-Alka while neither side has declared it."""

STEPS: Final = (8, 1, -8, -1, 9, 7, -9, -7)
"""Orthogonal steps, then diagonal ones; `OUTSIDE` detects a step off the board."""
FIRST_STEP: Final = (0, 4, 0, 0)
LAST_STEP: Final = (0, 8, 4, 8)
"""Each piece takes the steps from its FIRST_STEP up to, but not including, its LAST_STEP."""
REACH: Final = (0, 1, 2, 7)
"""The greatest number of equal steps that each piece takes in a move."""
OUTSIDE: Final = 0x44
"""A square whose file or rank is off the board, negative ones included, has one of these bits."""

SQUARES: Final = tuple(8 * rank + file for rank in range(8) for file in range(4))
AS_WRITTEN: Final = tuple(8 * rank + file for rank in reversed(range(8)) for file in range(4))
"""The squares as position strings write them: a8 to d8, then a7 to d7, down to d1."""
HAJAT: Final = SQUARES[:16]
"""South's squares; North's are 32 further."""


def hajat(square: int) -> int:
    """The side, 0 or 1, whose hajat the square lies in: it controls what stands there."""
    return square >> 5


def move(origin: int, target: int) -> Action:
    """The action that moves the piece on `origin` to `target`."""
    return Action(origin << 6 | target)


def is_move(action: Action) -> bool:
    """Whether the action moves a piece, and neither declares nor claims.

    >>> is_move(move(0, 9)), is_move(KYAN)
    (True, False)
    """
    return action < KYAN


def squares(action: Action) -> tuple[int, int]:
    """Origin and target of a move.

    >>> squares(move(18, 42))
    (18, 42)
    """
    return action >> 6, action & 63


def _start() -> dict[int, int]:
    """Ruling R1: each army in its player's left-hand corner; North's is South's turned by 180°."""
    pieces: dict[int, int] = {}
    for rank, row in enumerate(("OOS", "OSP", "SPP")):
        for file, letter in enumerate(row):
            square = 8 * rank + file
            pieces[square] = pieces[SQUARES[-1] - square] = ".PSO".index(letter)
    return pieces


START: Final[Mapping[int, int]] = MappingProxyType(_start())
"""The pieces of the first position by square."""
