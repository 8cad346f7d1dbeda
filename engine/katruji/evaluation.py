"""What a position of Katruji is worth; compiled with `evaluation.pxd`.

The unit is a point, scores are hundredths of it. A score is the sum of the terms, each times its
weight; how the weights were measured is in `docs/evaluation.md`.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from engine.katruji import board as packing
from engine.katruji.kernel import Position


class Term(IntEnum):
    """What is counted: South's less North's."""

    POINTS = 0
    """Points."""
    PRIVATES = 1
    """Privates in their own hajat; the next two count Sergeants and Officers there."""
    SERGEANTS = 2
    OFFICERS = 3
    MOBILITY = 4
    """Empty squares that own pieces can move to, counted once for each piece and square."""
    THREATS = 5
    """Points of the enemy pieces that own pieces can take, counted for each pair of the two."""
    TURN = 6
    """The turn."""
    LEAD = 7
    """Winning if the clock ran out now: more points, or equal ones and the declaration."""
    CLOCK = 8
    """LEAD times how far the clock has run, from 0 to 10: up to seven moves before the
    declaration; after it seven, and up to three moves more."""
    EMPTYING = 9
    """LEAD times the pieces that the two hajats are short of four each: Yemubus is near."""


WEIGHTS: Final = (100, -37, -49, -58, 4, 19, 20, 37, 16, 49)
"""Hundredths of a point for one of each term."""
SCALE: Final = 171
"""Hundredths of a point for each unit of the logarithm of winning's odds."""

WEIGHT: Final = list(WEIGHTS)
TERMS: Final[int] = len(Term)
POINTS: Final[int] = Term.POINTS
MOBILITY: Final[int] = Term.MOBILITY
THREATS: Final[int] = Term.THREATS
TURN: Final[int] = Term.TURN
LEAD: Final[int] = Term.LEAD
CLOCK: Final[int] = Term.CLOCK
EMPTYING: Final[int] = Term.EMPTYING

EMPTY: Final[int] = packing.EMPTY
NOBODY: Final[int] = packing.NOBODY
QUIET: Final[int] = packing.QUIET
TIMER: Final[int] = packing.TIMER
OUTSIDE: Final[int] = packing.OUTSIDE
FEW: Final = 4
HAJAT: Final = list(packing.HAJAT)
STEPS: Final = list(packing.STEPS)
FIRST: Final = list(packing.FIRST_STEP)
LAST: Final = list(packing.LAST_STEP)
REACH: Final = list(packing.REACH)


def material(position: Position) -> int:
    """The points alone, from the view of the side to act."""
    side = position.side
    return 100 * (position.score[side] - position.score[1 - side])


def evaluate(position: Position) -> int:
    """The score of a position that is not over, from the view of the side to act."""
    counted = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    count_terms(position, counted)
    score: int = 0
    for term in range(TERMS):
        score += counted[term] * WEIGHT[term]
    return -score if position.side else score


def terms(position: Position) -> list[int]:
    """What is counted in a position, by `Term`."""
    counted = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    count_terms(position, counted)
    return [counted[term] for term in range(TERMS)]


def count_terms(position: Position, counted: list[int]) -> None:
    """Count the terms in a list of zeros."""
    missing = 0
    for side in range(2):
        pieces = 0
        for home in HAJAT[:16]:
            if position.board[home | side << 5] != EMPTY:
                pieces += 1
                count_piece(position, home | side << 5, counted)
        missing += max(0, FEW - pieces)
    counted[POINTS] = position.score[0] - position.score[1]
    counted[TURN] = -1 if position.side else 1
    count_ending(position, missing, counted)


def count_piece(position: Position, square: int, counted: list[int]) -> None:
    """Count the piece on a square, and what it can do."""
    board = position.board
    side = square >> 5
    sign = -1 if side else 1
    piece = board[square]
    reach = REACH[piece]
    free = 0
    threats = 0
    for way in range(FIRST[piece], LAST[piece]):
        step = STEPS[way]
        target = square
        for _ in range(reach):
            target += step
            if target & OUTSIDE:
                break
            stands = board[target]
            if stands != EMPTY:
                if target >> 5 != side:
                    threats += stands
                break
            free += 1
    counted[piece] += sign
    counted[MOBILITY] += sign * free
    counted[THREATS] += sign * threats


def count_ending(position: Position, missing: int, counted: list[int]) -> None:
    """Count who would win if the clock ran out, and how near an end by clock or Yemubus is.

    `missing` is how many pieces the two hajats are short of four each.
    """
    lead = counted[POINTS]
    if lead > 0:
        lead = 1
    elif lead < 0:
        lead = -1
    elif position.declarer != NOBODY:
        lead = -1 if position.declarer else 1
    if position.declarer == NOBODY:
        run = min(position.clock, QUIET)
    else:
        run = QUIET + min(position.clock, TIMER)
    counted[LEAD] = lead
    counted[CLOCK] = lead * run
    counted[EMPTYING] = lead * missing
