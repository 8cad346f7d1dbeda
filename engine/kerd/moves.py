"""The moves of single pieces, castlings apart; compiled with `moves.pxd`."""

from __future__ import annotations

from typing import Final

from engine.kerd import board as tables
from engine.kerd.action import PARTNER, PROMOTION, TO
from engine.kerd.attacks import is_barred
from engine.kerd.board import (
    AIR_REGION,
    BLACK,
    COLOURS,
    EMPTY,
    FRESH,
    PAWN,
    PIECE,
    WHITE,
    region,
)
from engine.kerd.state import State

ORTHOGONAL: Final = list(tables.ORTHOGONAL)
DIAGONAL: Final = list(tables.DIAGONAL)
AROUND: Final = list(tables.AROUND)
L_LEAPS: Final = list(tables.L_LEAPS)
BROUGHT_BACK: Final = list(tables.BROUGHT_BACK)
# Room for the regions' cells outside the board keeps the index a plain square.
REGION: Final = [region(cell) if cell in tables.SQUARES else 0 for cell in range(256)]
AIR: Final = [cell in tables.SQUARES and region(cell) == AIR_REGION for cell in range(256)]
# The squares that promote, White's in the lower half.
PROMOTES: Final = [
    cell in tables.SQUARES and tables.promotes_on(side, cell)
    for side in range(2)
    for cell in range(256)
]


class ActionList:
    """A list of actions of one position, with room for 1024.

    Fewer than 900 are possible: 10 of the King, 43 of the Queen, 22 of each Tower, Scout and
    Bishop, 12 of a Hussar, 16 of a Jumper, 13 of a Commander alone, 24 of each of 12 Pawns, 8 of
    each of at most 24 joint pairs, 21 executions, 21 reveals, with one piece beyond the set.

    With `noisy_only` it keeps only the noisy ones: captures, promotions, and the reveal of a
    known infiltrator.
    """

    def __init__(self) -> None:
        self.items: list[int] = [0] * 1024
        self.count: int = 0
        self.noisy_only: int = 0

    def add(self, action: int) -> None:
        """Put one more action on the list."""
        self.items[self.count] = action
        self.count += 1

    def add_quiet(self, action: int) -> None:
        """Put a quiet action on the list, if it keeps them."""
        if not self.noisy_only:
            self.add(action)

    def holds(self, action: int) -> bool:
        """Whether an action is on the list."""
        for i in range(self.count):  # noqa: SIM110 - a loop is C, a generator is not
            if self.items[i] == action:
                return True
        return False


def advance_range(state: State, at: int) -> int:
    """How far the Pawn or Commander on a square may advance over empty squares."""
    return REGION[at] + 1 if state.board[at] & FRESH else 1


def add_pawn_moves(state: State, at: int, kind: int, actions: ActionList) -> None:
    """Add the advances and diagonal captures of a Pawn or Commander."""
    board = state.board
    ahead = 16 - 32 * state.side
    enemy = BLACK >> state.side
    to = at
    for _ in range(advance_range(state, at)):
        to += ahead
        if board[to] != EMPTY:
            break
        actions.add_quiet(at | to << TO)
        if kind == PAWN:
            add_promotions(state, at | to << TO, to, actions)
    for d in range(-1, 2, 2):
        to = at + ahead + d
        if board[to] & enemy:
            actions.add(at | to << TO)
            if kind == PAWN:
                add_promotions(state, at | to << TO, to, actions)


def add_promotions(state: State, action: int, to: int, actions: ActionList) -> None:
    """Add the promotions by a move that takes a Pawn (Ruling R24: no Commander) to a square."""
    if state.promotion and PROMOTES[to | state.side << 8]:
        own = WHITE << state.side
        for back in BROUGHT_BACK:
            if state.pool[own | back]:
                actions.add(action | back << PROMOTION)


def add_joint_advances(state: State, at: int, actions: ActionList) -> None:
    """Add a Commander's advances together with a neighbouring Pawn (Ruling R25)."""
    board = state.board
    ahead = 16 - 32 * state.side
    pawn = WHITE << state.side | PAWN
    for i in range(8):
        beside = at + AROUND[i]
        if board[beside] & PIECE != pawn:
            continue
        far = min(advance_range(state, at), advance_range(state, beside))
        to = at
        end = beside
        for _ in range(far):
            to += ahead
            end += ahead
            # Both are lifted off the board first, so each may enter where the other stood.
            if (board[to] != EMPTY and to != beside) or (board[end] != EMPTY and end != at):
                break
            action = at | to << TO | (i + 1) << PARTNER
            actions.add_quiet(action)
            add_promotions(state, action, end, actions)


def add_recapture(state: State, at: int, actions: ActionList) -> None:
    """Add a Commander's capture where a Pawn beside it was just taken, whatever the direction."""
    way = state.recapture - at
    ahead = 16 - 32 * state.side
    for d in AROUND:
        if d == way and way != ahead - 1 and way != ahead + 1:
            actions.add(at | state.recapture << TO)


def add_steps(state: State, at: int, actions: ActionList) -> None:
    """Add a Jumper's single steps: it captures only forward and diagonally forward."""
    board = state.board
    enemy = BLACK >> state.side
    ahead = 16 - 32 * state.side
    for d in AROUND:
        piece = board[at + d]
        if piece == EMPTY:
            actions.add_quiet(at | (at + d) << TO)
        elif piece & enemy and -1 <= d - ahead <= 1:
            actions.add(at | (at + d) << TO)


def add_jumps(state: State, at: int, actions: ActionList) -> None:
    """Add a Jumper's jumps (Ruling R27), in the rulebook under the region rule."""
    if actions.noisy_only:
        return
    board = state.board
    for d in AROUND:
        over = at + d
        for _ in range(REGION[at]):
            if board[over] != EMPTY:
                break
            over += d
        landing = over + d
        if not board[over] & COLOURS or board[landing] != EMPTY:
            continue
        if state.captures_only or not is_barred(state, at, landing, d):
            actions.add(at | landing << TO)


def add_flights(state: State, at: int, actions: ActionList) -> None:
    """Add a Bishop's moves under the region rule."""
    board = state.board
    enemy = BLACK >> state.side
    free = state.captures_only or AIR[at]
    for d in DIAGONAL:
        to = at + d
        entered = False
        left = False
        while board[to] == EMPTY:
            if AIR[to]:
                entered = True
            elif entered:
                left = True
            if left and not free:
                break
            actions.add_quiet(at | to << TO)
            to += d
        if board[to] & enemy and not is_barred(state, at, to, d):
            actions.add(at | to << TO)


def add_leaps(state: State, at: int, actions: ActionList) -> None:
    """Add a Hussar's L-leaps (Ruling R20: always free) and straight moves."""
    board = state.board
    own = WHITE << state.side
    enemy = BLACK >> state.side
    for d in L_LEAPS:
        piece = board[at + d]
        if piece == EMPTY:
            actions.add_quiet(at | (at + d) << TO)
        elif piece & enemy:
            actions.add(at | (at + d) << TO)
    for d in ORTHOGONAL:
        one = board[at + d]
        if one != EMPTY and not one & own:
            continue
        two = board[at + 2 * d]
        if two != EMPTY and not two & own:
            continue
        to = at + 3 * d
        piece = board[to]
        if piece == EMPTY:
            if state.captures_only or not is_barred(state, at, to, d):
                actions.add_quiet(at | to << TO)
        elif piece & enemy and not is_barred(state, at, to, d):
            actions.add(at | to << TO)


def add_straight_slides(state: State, at: int, actions: ActionList) -> None:
    """Add the moves along the rank and the file, free of the region rule."""
    add_slides(state, at, ORTHOGONAL, actions)


def add_diagonal_slides(state: State, at: int, actions: ActionList) -> None:
    """Add the moves along the diagonals, free of the region rule."""
    add_slides(state, at, DIAGONAL, actions)


def add_slides(state: State, at: int, steps: list[int], actions: ActionList) -> None:
    """Add the moves along four lines."""
    board = state.board
    enemy = BLACK >> state.side
    for d in steps[:4]:
        to = at + d
        while board[to] == EMPTY:
            actions.add_quiet(at | to << TO)
            to += d
        if board[to] & enemy:
            actions.add(at | to << TO)


def add_king_steps(state: State, at: int, actions: ActionList) -> None:
    """Add the King's steps; castlings are generated separately."""
    board = state.board
    enemy = BLACK >> state.side
    for d in AROUND:
        piece = board[at + d]
        if piece == EMPTY:
            actions.add_quiet(at | (at + d) << TO)
        elif piece & enemy:
            actions.add(at | (at + d) << TO)
