"""What a position of Kerd or Kerd Draft is worth; compiled with `evaluation.pxd`.

The unit is a Pawn, scores are hundredths of it. A score is the sum of the terms, each times its
weight; how pieces and terms were measured is in `docs/evaluation.md`.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from engine.kerd import board as tables
from engine.kerd.board import (
    AIR_REGION,
    BISHOP,
    BLACK,
    BROUGHT_BACK,
    COMMANDER,
    EMPTY,
    HUSSAR,
    JUMPER,
    KIND,
    KING,
    LAST_SHORT,
    PAWN,
    QUEEN,
    TOWER,
    WHITE,
    WITHOUT,
    region,
)
from engine.kerd.kernel import Position


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
    """Squares that Bishops can move to or capture on; likewise the next four."""
    HUSSAR_MOVES = 9
    SCOUT_MOVES = 10
    TOWER_MOVES = 11
    QUEEN_MOVES = 12
    JUMPERS_SIGHT = 13
    """Regions, of the Jumpers: how many empty squares each can see over, by where it stands."""
    IN_AIR = 14
    """Regions, of the others that they bind: Bishops and Hussars in the air."""
    ADVANCE = 15
    """Ranks that Pawns and Commanders are ahead of the second."""
    PROMOTION = 16
    """Promotion chances: Pawns's worth of the best piece to bring back, for each Pawn that is
    four, two or one times as likely to: on the last rank before, on the air's first, or on land
    or water just before the air."""
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


WORTH: Final = [0, 100, 40, 150, 320, 210, 215, 480, 1130, 0]
"""What a piece of each kind is worth where nothing else is looked at; a King is not counted."""
WEIGHTS: Final = (
    *(100, 40, 200, 310, 240, 215, 480, 1150),
    *(1, 0, 3, 4, 3),
    *(-18, 40, 6, 3, -100, 8, 6, -2, 70, 150, 20, 60, 8),
)
"""Hundredths of a Pawn for one of each term."""
SCALE: Final = 600
"""Hundredths of a Pawn for each unit of the logarithm of winning's odds."""

WEIGHT: Final = list(WEIGHTS)
TERMS: Final[int] = len(Term)
FIRST_MOVES: Final[int] = Term.BISHOP_MOVES
JUMPERS_SIGHT: Final[int] = Term.JUMPERS_SIGHT
IN_AIR: Final[int] = Term.IN_AIR
ADVANCE: Final[int] = Term.ADVANCE
PROMOTION: Final[int] = Term.PROMOTION
STRANDED: Final[int] = Term.STRANDED
KING_ATTACKED: Final[int] = Term.KING_ATTACKED
KING_SHIELD: Final[int] = Term.KING_SHIELD
KING_OPEN: Final[int] = Term.KING_OPEN
READY: Final[int] = Term.READY
LATENT: Final[int] = Term.LATENT
FORKED: Final[int] = Term.FORKED
CASTLING: Final[int] = Term.CASTLING
TURN: Final[int] = Term.TURN

SQUARES: Final = list(tables.SQUARES)
ORTHOGONAL: Final = list(tables.ORTHOGONAL)
DIAGONAL: Final = list(tables.DIAGONAL)
AROUND: Final = list(tables.AROUND)
L_LEAPS: Final = list(tables.L_LEAPS)
BACK: Final = list(BROUGHT_BACK)
REGION: Final = [region(cell) if cell in tables.SQUARES else 0 for cell in range(256)]
AIR: Final[int] = AIR_REGION
# Ranks ahead of a side's own first, White's in the lower half.
RANK: Final = [(cell >> 4) - 2 for cell in range(256)] + [13 - (cell >> 4) for cell in range(256)]
# By how far ahead a Pawn is: the chance to promote.
CHANCE: Final = [0, 0, 0, 0, 1, 2, 4, 0, 0, 0, 0, 0]
BEHIND: Final = 7
# Whether two squares are the same or touch, by their difference and 256.
TOUCHES: Final = [cell - 256 in (0, *tables.AROUND) for cell in range(512)]


def material(position: Position) -> int:
    """The pieces on the board alone, from the view of the side to act."""
    own = WHITE << position.side
    total: int = 0
    for at in SQUARES:
        piece = position.board[at]
        if piece & own:
            total += WORTH[piece & KIND]
        else:
            total -= WORTH[piece & KIND]
    return total


def evaluate(position: Position) -> int:
    """The score of a position that is not over, from the view of the side to act."""
    counted = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    count(position, counted)
    score: int = 0
    for term in range(TERMS):
        score += counted[term] * WEIGHT[term]
    return -score if position.side else score


def terms(position: Position) -> list[int]:
    """What is counted in a position, by `Term`."""
    counted = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    count(position, counted)
    return [counted[term] for term in range(TERMS)]


def count(position: Position, counted: list[int]) -> None:
    """Count the terms in a list of zeros."""
    for at in SQUARES:
        piece = position.board[at]
        if piece == EMPTY:
            continue
        side = 0 if piece & WHITE else 1
        kind = piece & KIND
        if kind <= LAST_SHORT:
            count_short(position, at, side, kind, counted)
        elif kind == KING:
            count_king(position, at, side, counted)
        else:
            counted[kind - PAWN] += 1 - 2 * side
            count_moves(position, at, side, kind, counted)
    for side in range(2):
        count_reveal(position, side, counted)
        castlings = position.rights >> 2 * side & 3
        counted[CASTLING] += (1 - 2 * side) * ((castlings & 1) + (castlings >> 1))
    counted[TURN] = 1 - 2 * position.side


def count_short(position: Position, at: int, side: int, kind: int, counted: list[int]) -> None:
    """Count a Pawn, Commander or Jumper."""
    sign = 1 - 2 * side
    rank = RANK[at | side << 8]
    counted[kind - PAWN] += sign
    if kind == JUMPER:
        counted[JUMPERS_SIGHT] += sign * REGION[at]
    else:
        counted[ADVANCE] += sign * (rank - 1)
    if kind == PAWN and position.promotion:
        if rank >= BEHIND:
            counted[STRANDED] += sign
        elif CHANCE[rank]:
            counted[PROMOTION] += sign * CHANCE[rank] * best_back(position, side)
    enemy = BLACK >> side
    ahead = at + 16 - 32 * side
    for d in range(-1, 2, 2):
        piece = position.board[ahead + d]
        if piece & enemy and piece & KIND > JUMPER:
            counted[FORKED] += sign


def best_back(position: Position, side: int) -> int:
    """The worth, in whole Pawns, of the best piece that a promotion of the side brings back."""
    best: int = 0
    for kind in BACK:
        if position.pool[WHITE << side | kind] and WORTH[kind] > best:
            best = WORTH[kind]
    return best // 100


def count_king(position: Position, at: int, side: int, counted: list[int]) -> None:
    """Count the own men around a King, and the open lines to him."""
    board = position.board
    sign = 1 - 2 * side
    own = WHITE << side
    for d in AROUND:
        to = at + d
        if board[to] & own and board[to] & KIND <= COMMANDER:
            counted[KING_SHIELD] += sign
        while board[to] == EMPTY:
            counted[KING_OPEN] += sign
            to += d


def count_reveal(position: Position, side: int, counted: list[int]) -> None:
    """Count what a side's infiltrator would win; of one that is not known nothing is said."""
    choice = position.choices[side]
    if choice > WITHOUT:
        worth = WORTH[position.board[choice] & KIND] // 100
        term = READY if position.has_checked() else LATENT
        counted[term] += worth if side == 0 else -worth


def count_moves(position: Position, at: int, side: int, kind: int, counted: list[int]) -> None:
    """Count where a piece from the Bishop to the Queen can go."""
    sign = 1 - 2 * side
    if REGION[at] == AIR and kind <= HUSSAR:
        counted[IN_AIR] += sign
    if kind == HUSSAR:
        count_leaps(position, at, side, counted)
        return
    if kind in (TOWER, QUEEN):
        for d in ORTHOGONAL:
            count_slide(position, at, d, side, kind, counted)
    if kind != TOWER:
        for d in DIAGONAL:
            count_slide(position, at, d, side, kind, counted)


def count_slide(
    position: Position, at: int, step: int, side: int, kind: int, counted: list[int]
) -> None:
    """Count the moves along one line, of Bishops those under the region rule."""
    board = position.board
    zone = 256 - position.kings[1 - side]
    sign = 1 - 2 * side
    term = FIRST_MOVES + kind - BISHOP
    bound = kind == BISHOP and REGION[at] != AIR
    entered = False
    to = at + step
    while True:
        stands = board[to]
        if stands != EMPTY and not stands & BLACK >> side:
            return
        if bound:
            if REGION[to] == AIR:
                entered = True
            elif entered and (stands != EMPTY or not position.captures_only):
                return
        counted[term] += sign
        if TOUCHES[zone + to]:
            counted[KING_ATTACKED] += sign
        if stands != EMPTY:
            return
        to += step


def count_leaps(position: Position, at: int, side: int, counted: list[int]) -> None:
    """Count a Hussar's moves: leaps, and three squares straight."""
    board = position.board
    own = WHITE << side
    enemy = BLACK >> side
    for d in L_LEAPS:
        count_leap(position, at + d, side, counted)
    for d in ORTHOGONAL:
        to = at + 3 * d
        # Beyond two squares the board's margin ends: a third one is looked at only behind them.
        if board[at + d] != EMPTY and not board[at + d] & own:
            continue
        if board[at + 2 * d] != EMPTY and not board[at + 2 * d] & own:
            continue
        free = board[to] == EMPTY and position.captures_only
        if free or ((board[to] == EMPTY or board[to] & enemy) and not position.barred(at, to, d)):
            count_leap(position, to, side, counted)


def count_leap(position: Position, to: int, side: int, counted: list[int]) -> None:
    """Count a Hussar's move to a square, if nothing of its side stands there."""
    stands = position.board[to]
    if stands == EMPTY or stands & BLACK >> side:
        counted[FIRST_MOVES + HUSSAR - BISHOP] += 1 - 2 * side
        if TOUCHES[256 + to - position.kings[1 - side]]:
            counted[KING_ATTACKED] += 1 - 2 * side
