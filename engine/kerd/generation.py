"""The pseudo-legal actions of a state; compiled with `generation.pxd`."""

from __future__ import annotations

from typing import Final

from engine import bits
from engine.kerd import board as tables
from engine.kerd.action import TO, Deed
from engine.kerd.attacks import in_check, is_attacked
from engine.kerd.board import (
    BISHOP,
    BLACK,
    COMMANDER,
    EMPTY,
    HUSSAR,
    JUMPER,
    KIND,
    KING,
    LAST_ELIGIBLE,
    OFF,
    PIECE,
    SCOUT,
    TOWER,
    UNKNOWN,
    WHITE,
    WITHOUT,
)
from engine.kerd.board import REVEALED as TURNED
from engine.kerd.moves import (
    ActionList,
    add_diagonal_slides,
    add_flights,
    add_joint_advances,
    add_jumps,
    add_king_steps,
    add_leaps,
    add_pawn_moves,
    add_recapture,
    add_steps,
    add_straight_slides,
)
from engine.kerd.state import State

SQUARES: Final = list(tables.SQUARES)
AROUND: Final = list(tables.AROUND)
L_LEAPS: Final = list(tables.L_LEAPS)
KING_HOME: Final = list(tables.KING_HOME)
KING_CASTLED: Final = list(tables.KING_CASTLED)
JUMPER_HOME: Final = list(tables.JUMPER_HOME)

CASTLE: Final = Deed.CASTLE << 24
REVEAL: Final = Deed.REVEAL << 24
EXECUTE: Final = Deed.EXECUTE << 24


def has_been_in_check(state: State) -> bool:
    """Whether either King has been in check so far; looks for it now if that is not known yet."""
    if state.checked == 2:
        state.checked = 1 if in_check(state, state.side) else 0
    return state.checked == 1


def mover_in_check(state: State) -> bool:
    """Whether the King of the side to move is attacked."""
    return in_check(state, state.side) if state.checked == 1 else has_been_in_check(state)


def may_execute(state: State) -> bool:
    """Whether the side to move may execute: the enemy may have an infiltrator (R28, R61)."""
    choice = state.choices[1 - state.side]
    return state.executions != 0 and choice != TURNED and choice != WITHOUT


def list_actions(state: State, actions: ActionList) -> None:
    """Put all actions that the list keeps on it, even those that leave the own King attacked."""
    actions.count = 0
    if state.kings[state.side] == 0:
        return
    executes = may_execute(state) and not actions.noisy_only
    for word in range(4):
        own = state.occupied[4 + 4 * state.side + word]
        while own:
            at = word << 6 | bits.first(own)
            own &= own - 1
            add_moves(state, at, actions)
            if executes:
                add_execution(state, at, actions)
    if state.rights and not actions.noisy_only:
        add_castlings(state, actions)
    if has_been_in_check(state):
        add_reveals(state, actions)


def list_actions_like(state: State, action: int, actions: ActionList) -> None:
    """Put the actions of `list_actions` that could be a given action on the list.

    They are of its kind and, except for castlings and reveals, from its origin.
    """
    actions.count = 0
    at = action & 255
    if state.kings[state.side] == 0:
        return
    if action < CASTLE:
        if state.board[at] & WHITE << state.side:
            add_moves(state, at, actions)
    elif action < REVEAL:
        add_castlings(state, actions)
    elif action < EXECUTE:
        if has_been_in_check(state):
            add_reveals(state, actions)
    elif state.board[at] & WHITE << state.side and may_execute(state):
        add_execution(state, at, actions)


def list_moves_to(state: State, kind: int, target: int, actions: ActionList) -> None:
    """Put the moves of all pieces of one kind that could go to a square on the list.

    It includes those pieces' moves to other squares, but no castlings. A move goes along a line or
    is an L-leap; there are none to a number that is no square.
    """
    actions.count = 0
    board = state.board
    if state.kings[state.side] == 0 or not 0 <= target < 256 or board[target] == OFF:
        return
    piece = WHITE << state.side | kind
    for d in AROUND:
        at = target + d
        while board[at] != OFF:
            if board[at] & PIECE == piece:
                add_moves(state, at, actions)
            at += d
    for d in L_LEAPS:
        if board[target + d] & PIECE == piece:
            add_moves(state, target + d, actions)


def add_moves(state: State, at: int, actions: ActionList) -> None:
    """Add the moves of the piece of the side to move that stands on a square."""
    kind = state.board[at] & KIND
    if kind <= COMMANDER:
        add_pawn_moves(state, at, kind, actions)
        if kind == COMMANDER:
            add_joint_advances(state, at, actions)
            if state.recapture:
                add_recapture(state, at, actions)
    elif kind == JUMPER:
        add_steps(state, at, actions)
        add_jumps(state, at, actions)
    elif kind == BISHOP:
        add_flights(state, at, actions)
    elif kind == HUSSAR:
        add_leaps(state, at, actions)
    elif kind == KING:
        add_king_steps(state, at, actions)
    else:
        if kind != SCOUT:
            add_straight_slides(state, at, actions)
        if kind != TOWER:
            add_diagonal_slides(state, at, actions)


def add_execution(state: State, at: int, actions: ActionList) -> None:
    """Add the execution of the own piece on a square, if its kind can be an infiltrator."""
    if state.board[at] & KIND <= LAST_ELIGIBLE:
        actions.add(at | at << TO | EXECUTE)


def add_castlings(state: State, actions: ActionList) -> None:
    """Add the castlings of the side to move whose King and Tower have not moved."""
    for n in range(2 * state.side, 2 * state.side + 2):
        if state.rights & 1 << n and may_castle(state, n):
            actions.add(KING_HOME[n] | KING_CASTLED[n] << TO | CASTLE)


def may_castle(state: State, n: int) -> bool:
    """Whether the way to the Jumper (Ruling R33) is empty and the King's own way unattacked.

    Ruling R62: attacks are judged with the King where he stands.
    """
    board = state.board
    at = KING_HOME[n]
    jumper = JUMPER_HOME[n]
    step = 1 if jumper > at else -1
    if board[jumper] != WHITE << state.side | JUMPER:
        return False
    to = at + step
    while to != jumper:  # a range with a step that may be negative is slow where compiled
        if board[to] != EMPTY:
            return False
        to += step
    to = at
    while to != KING_CASTLED[n] + step:
        if is_attacked(state, to, 1 - state.side):
            return False
        to += step
    return True


def add_reveals(state: State, actions: ActionList) -> None:
    """Add the reveal of the own infiltrator, or of any possible one (Ruling R30)."""
    choice = state.choices[state.side]
    if choice > WITHOUT:
        actions.add(choice | choice << TO | REVEAL)
    elif choice == UNKNOWN and not actions.noisy_only:
        enemy = BLACK >> state.side
        for at in SQUARES:
            piece = state.board[at]
            if piece & enemy and piece & KIND <= LAST_ELIGIBLE:
                actions.add(at | at << TO | REVEAL)
