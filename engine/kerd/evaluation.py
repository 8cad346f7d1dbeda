"""What a position of Kerd or Kerd Draft is worth; compiled with `evaluation.pxd`.

The unit is a Pawn, scores are hundredths of it. A score is the sum of the terms, each times its
weight; terms and weights are in `engine.kerd.terms`, the values of squares in
`engine.kerd.piece_squares`.
"""

from __future__ import annotations

from typing import Final

from engine import bits
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
    SCOUT,
    TOWER,
    TURNED,
    WHITE,
    WITHOUT,
    region,
)
from engine.kerd.generation import has_been_in_check
from engine.kerd.piece_squares import PIECE_SQUARES, entry
from engine.kerd.state import State
from engine.kerd.terms import DRAFT_WEIGHTS, WEIGHTS, Term

# Kerd's weights, then Kerd Draft's.
WEIGHT: Final = [*WEIGHTS, *DRAFT_WEIGHTS]
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
ON_SQUARES: Final[int] = Term.ON_SQUARES

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
# The value of a White piece of a kind on a square, by kind * 256 + square.
STANDING: Final = [
    PIECE_SQUARES[entry(at >> 8, at & 255)] if at >> 8 and at & 255 in tables.SQUARES else 0
    for at in range(2560)
]
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
    counted = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    count_terms(state, counted)
    score: int = 0
    weights = 0 if state.promotion else TERMS
    for term in range(TERMS):
        score += counted[term] * WEIGHT[weights + term]
    return -score if state.side else score


def terms(state: State) -> list[int]:
    """What is counted in a position, by `Term`."""
    counted = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    count_terms(state, counted)
    return [counted[term] for term in range(TERMS)]


def count_terms(state: State, counted: list[int]) -> None:
    """Count the terms in a list of zeros."""
    for side in range(2):
        best = best_promotion(state, side) if state.promotion else 0
        for word in range(4):
            squares = state.occupied[4 + 4 * side + word]
            while squares:
                at = word << 6 | bits.first(squares)
                squares &= squares - 1
                count_piece(state, at, side, best, counted)
        count_reveal(state, side, counted)
        castlings = state.rights >> 2 * side & 3
        counted[CASTLING] += (1 - 2 * side) * ((castlings & 1) + (castlings >> 1))
    counted[TURN] = 1 - 2 * state.side


def count_piece(state: State, at: int, side: int, best: int, counted: list[int]) -> None:
    """Count a piece; `best` is as in `count_pawn`."""
    sign = 1 - 2 * side
    kind = state.board[at] & KIND
    counted[ON_SQUARES] += sign * STANDING[kind << 8 | (at ^ TURNED if side else at)]
    if kind == KING:
        count_king(state, at, side, counted)
        return
    counted[kind - PAWN] += sign
    if kind <= LAST_SHORT:
        if kind == JUMPER:
            counted[JUMPERS_SIGHT] += sign * REGION[at]
        else:
            count_pawn(state, at, side, best if kind == PAWN else 0, counted)
        count_forks(state, at, side, counted)
        return
    if REGION[at] == AIR and kind <= HUSSAR:
        counted[IN_AIR] += sign
    if kind == HUSSAR:
        count_leaps(state, at, side, counted)
    elif kind == BISHOP:
        count_flights(state, at, side, counted)
    else:
        count_slides(state, at, side, kind, counted)


def count_pawn(state: State, at: int, side: int, best: int, counted: list[int]) -> None:
    """Count how far a Pawn or Commander has advanced.

    `best` is the worth, in whole Pawns, of the best piece that it could bring back; a Commander
    brings none back.
    """
    sign = 1 - 2 * side
    rank = RANK[at | side << 8]
    counted[ADVANCE] += sign * (rank - 1)
    if rank < BEHIND:
        counted[PROMOTION] += sign * CHANCE[rank] * best
    elif state.promotion and state.board[at] & KIND == PAWN:
        counted[STRANDED] += sign


def count_forks(state: State, at: int, side: int, counted: list[int]) -> None:
    """Count the larger pieces that a Pawn, Commander or Jumper can capture."""
    board = state.board
    enemy = BLACK >> side
    ahead = at + 16 - 32 * side
    left = board[ahead - 1]
    right = board[ahead + 1]
    if left & enemy and left & KIND > JUMPER:
        counted[FORKED] += 1 - 2 * side
    if right & enemy and right & KIND > JUMPER:
        counted[FORKED] += 1 - 2 * side


def best_promotion(state: State, side: int) -> int:
    """The worth, in whole Pawns, of the best piece that a promotion of the side brings back."""
    best: int = 0
    for kind in BACK:
        if state.pool[WHITE << side | kind] and WORTH[kind] > best:
            best = WORTH[kind]
    return best // 100


def count_king(state: State, at: int, side: int, counted: list[int]) -> None:
    """Count the King's own men around him, and the open lines to him."""
    board = state.board
    own = WHITE << side
    shield = 0
    empty = 0
    for d in AROUND:
        to = at + d
        if board[to] & own and board[to] & KIND <= COMMANDER:
            shield += 1
        while board[to] == EMPTY:
            empty += 1
            to += d
    counted[KING_SHIELD] += (1 - 2 * side) * shield
    counted[KING_OPEN] += (1 - 2 * side) * empty


def count_reveal(state: State, side: int, counted: list[int]) -> None:
    """Count what a side's infiltrator would win; an unknown one counts nothing."""
    choice = state.choices[side]
    if choice > WITHOUT:
        worth = WORTH[state.board[choice] & KIND] // 100
        term = READY if has_been_in_check(state) else LATENT
        counted[term] += worth if side == 0 else -worth


def count_slides(state: State, at: int, side: int, kind: int, counted: list[int]) -> None:
    """Count the moves of a Scout, Tower or Queen."""
    board = state.board
    enemy = BLACK >> side
    zone = 256 - state.kings[1 - side]
    moves = 0
    attacked = 0
    for i in range(4 if kind == SCOUT else 0, 4 if kind == TOWER else 8):
        to = at + AROUND[i]
        while board[to] == EMPTY:
            moves += 1
            attacked += TOUCHES[zone + to]
            to += AROUND[i]
        if board[to] & enemy:
            moves += 1
            attacked += TOUCHES[zone + to]
    counted[FIRST_MOVES + kind - BISHOP] += (1 - 2 * side) * moves
    counted[KING_ATTACKED] += (1 - 2 * side) * attacked


def count_flights(state: State, at: int, side: int, counted: list[int]) -> None:
    """Count a Bishop's moves under the region rule."""
    board = state.board
    enemy = BLACK >> side
    zone = 256 - state.kings[1 - side]
    bound = REGION[at] != AIR
    moves = 0
    attacked = 0
    for d in DIAGONAL:
        entered = False
        to = at + d
        while board[to] == EMPTY:
            if REGION[to] == AIR:
                entered = bound
            elif entered and not state.captures_only:
                break
            moves += 1
            attacked += TOUCHES[zone + to]
            to += d
        if board[to] & enemy and (not entered or REGION[to] == AIR):
            moves += 1
            attacked += TOUCHES[zone + to]
    counted[FIRST_MOVES] += (1 - 2 * side) * moves
    counted[KING_ATTACKED] += (1 - 2 * side) * attacked


def count_leaps(state: State, at: int, side: int, counted: list[int]) -> None:
    """Count a Hussar's moves: leaps, and three squares straight."""
    board = state.board
    own = WHITE << side
    enemy = BLACK >> side
    zone = 256 - state.kings[1 - side]
    moves = 0
    attacked = 0
    for d in L_LEAPS:
        stands = board[at + d]
        if stands == EMPTY or stands & enemy:
            moves += 1
            attacked += TOUCHES[zone + at + d]
    for d in ORTHOGONAL:
        # Beyond two squares the board's margin ends: a third one is looked at only behind them.
        if board[at + d] != EMPTY and not board[at + d] & own:
            continue
        if board[at + 2 * d] != EMPTY and not board[at + 2 * d] & own:
            continue
        to = at + 3 * d
        stands = board[to]
        if stands == EMPTY:
            barred = state.captures_only == 0 and is_barred(state, at, to, d)
        else:
            barred = not stands & enemy or is_barred(state, at, to, d)
        if not barred:
            moves += 1
            attacked += TOUCHES[zone + to]
    counted[FIRST_MOVES + HUSSAR - BISHOP] += (1 - 2 * side) * moves
    counted[KING_ATTACKED] += (1 - 2 * side) * attacked
