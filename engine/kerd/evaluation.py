"""What a position of Kerd or Kerd Draft is worth; compiled with `evaluation.pxd`.

The unit is a Pawn, scores are hundredths of it. A score is the sum of the terms, each times its
weight; terms and weights are in `engine.kerd.terms`.
"""

from __future__ import annotations

from typing import Final

from engine.kerd import board as tables
from engine.kerd import terms as terms_table
from engine.kerd.attacks import is_barred
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
from engine.kerd.generation import has_been_in_check
from engine.kerd.state import State
from engine.kerd.terms import WEIGHTS, Term

WEIGHT: Final = list(WEIGHTS)
WORTH: Final = list(terms_table.WORTH)
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


def material(state: State) -> int:
    """The pieces on the board alone, from the view of the side to act."""
    own = WHITE << state.side
    total: int = 0
    for at in SQUARES:
        piece = state.board[at]
        if piece & own:
            total += WORTH[piece & KIND]
        else:
            total -= WORTH[piece & KIND]
    return total


def evaluate(state: State) -> int:
    """The score of a position that is not over, from the view of the side to act."""
    counted = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    count_terms(state, counted)
    score: int = 0
    for term in range(TERMS):
        score += counted[term] * WEIGHT[term]
    return -score if state.side else score


def terms(state: State) -> list[int]:
    """What is counted in a position, by `Term`."""
    counted = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    count_terms(state, counted)
    return [counted[term] for term in range(TERMS)]


def count_terms(state: State, counted: list[int]) -> None:
    """Count the terms in a list of zeros."""
    for at in SQUARES:
        piece = state.board[at]
        if piece == EMPTY:
            continue
        side = 0 if piece & WHITE else 1
        kind = piece & KIND
        if kind <= LAST_SHORT:
            count_short_mover(state, at, side, kind, counted)
        elif kind == KING:
            count_king(state, at, side, counted)
        else:
            counted[kind - PAWN] += 1 - 2 * side
            count_moves(state, at, side, kind, counted)
    for side in range(2):
        count_reveal(state, side, counted)
        castlings = state.rights >> 2 * side & 3
        counted[CASTLING] += (1 - 2 * side) * ((castlings & 1) + (castlings >> 1))
    counted[TURN] = 1 - 2 * state.side


def count_short_mover(state: State, at: int, side: int, kind: int, counted: list[int]) -> None:
    """Count a Pawn, Commander or Jumper."""
    sign = 1 - 2 * side
    rank = RANK[at | side << 8]
    counted[kind - PAWN] += sign
    if kind == JUMPER:
        counted[JUMPERS_SIGHT] += sign * REGION[at]
    else:
        counted[ADVANCE] += sign * (rank - 1)
    if kind == PAWN and state.promotion:
        if rank >= BEHIND:
            counted[STRANDED] += sign
        elif CHANCE[rank]:
            counted[PROMOTION] += sign * CHANCE[rank] * best_promotion(state, side)
    enemy = BLACK >> side
    ahead = at + 16 - 32 * side
    for d in range(-1, 2, 2):
        piece = state.board[ahead + d]
        if piece & enemy and piece & KIND > JUMPER:
            counted[FORKED] += sign


def best_promotion(state: State, side: int) -> int:
    """The worth, in whole Pawns, of the best piece that a promotion of the side brings back."""
    best: int = 0
    for kind in BACK:
        if state.pool[WHITE << side | kind] and WORTH[kind] > best:
            best = WORTH[kind]
    return best // 100


def count_king(state: State, at: int, side: int, counted: list[int]) -> None:
    """Count the own men around a King, and the open lines to him."""
    board = state.board
    sign = 1 - 2 * side
    own = WHITE << side
    for d in AROUND:
        to = at + d
        if board[to] & own and board[to] & KIND <= COMMANDER:
            counted[KING_SHIELD] += sign
        while board[to] == EMPTY:
            counted[KING_OPEN] += sign
            to += d


def count_reveal(state: State, side: int, counted: list[int]) -> None:
    """Count what a side's infiltrator would win; of one that is not known nothing is said."""
    choice = state.choices[side]
    if choice > WITHOUT:
        worth = WORTH[state.board[choice] & KIND] // 100
        term = READY if has_been_in_check(state) else LATENT
        counted[term] += worth if side == 0 else -worth


def count_moves(state: State, at: int, side: int, kind: int, counted: list[int]) -> None:
    """Count where a piece from the Bishop to the Queen can go."""
    sign = 1 - 2 * side
    if REGION[at] == AIR and kind <= HUSSAR:
        counted[IN_AIR] += sign
    if kind == HUSSAR:
        count_leaps(state, at, side, counted)
        return
    if kind in (TOWER, QUEEN):
        for d in ORTHOGONAL:
            count_slide(state, at, d, side, kind, counted)
    if kind != TOWER:
        for d in DIAGONAL:
            count_slide(state, at, d, side, kind, counted)


def count_slide(state: State, at: int, step: int, side: int, kind: int, counted: list[int]) -> None:
    """Count the moves along one line, of Bishops those under the region rule."""
    board = state.board
    zone = 256 - state.kings[1 - side]
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
            elif entered and (stands != EMPTY or not state.captures_only):
                return
        counted[term] += sign
        if TOUCHES[zone + to]:
            counted[KING_ATTACKED] += sign
        if stands != EMPTY:
            return
        to += step


def count_leaps(state: State, at: int, side: int, counted: list[int]) -> None:
    """Count a Hussar's moves: leaps, and three squares straight."""
    board = state.board
    own = WHITE << side
    enemy = BLACK >> side
    for d in L_LEAPS:
        count_leap(state, at + d, side, counted)
    for d in ORTHOGONAL:
        to = at + 3 * d
        # Beyond two squares the board's margin ends: a third one is looked at only behind them.
        if board[at + d] != EMPTY and not board[at + d] & own:
            continue
        if board[at + 2 * d] != EMPTY and not board[at + 2 * d] & own:
            continue
        free = board[to] == EMPTY and state.captures_only
        if free or ((board[to] == EMPTY or board[to] & enemy) and not is_barred(state, at, to, d)):
            count_leap(state, to, side, counted)


def count_leap(state: State, to: int, side: int, counted: list[int]) -> None:
    """Count a Hussar's move to a square, if nothing of its side stands there."""
    stands = state.board[to]
    if stands == EMPTY or stands & BLACK >> side:
        counted[FIRST_MOVES + HUSSAR - BISHOP] += 1 - 2 * side
        if TOUCHES[256 + to - state.kings[1 - side]]:
            counted[KING_ATTACKED] += 1 - 2 * side
