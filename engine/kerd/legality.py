"""Which pseudo-legal actions are legal; compiled with `legality.pxd`."""

from __future__ import annotations

from typing import Final

from engine.kerd import board as tables
from engine.kerd.attacks import in_check
from engine.kerd.board import BISHOP, BLACK, EMPTY, HUSSAR, KIND, OFF, WHITE
from engine.kerd.generation import list_actions_like, mover_in_check
from engine.kerd.making import pop, push
from engine.kerd.moves import ActionList
from engine.kerd.state import State

AROUND: Final = list(tables.AROUND)
BIT: Final = [1 << n for n in range(64)]
# The step along the line from one square to another, by their difference and 256; 0 for no line.
LINES: Final = [
    next((step for step in AROUND for n in range(1, 12) if n * step == way), 0)
    for way in range(-256, 256)
]


def is_safe(state: State, action: int, attacked: bool) -> bool:
    """Whether an action, pseudo-legal here, is legal: it leaves the own King unattacked.

    Ruling R29: this covers reveals and executions. `attacked` is whether the King is attacked now.
    """
    return not may_expose_king(state, action, attacked) or is_safe_on_trial(state, action)


def is_safe_on_trial(state: State, action: int) -> bool:
    """Whether an action leaves the own King unattacked, found by playing it."""
    side = state.side
    push(state, action)
    safe = not in_check(state, side)
    pop(state)
    return safe


def may_expose_king(state: State, action: int, attacked: bool) -> bool:
    """Whether an action might leave the own King attacked where that makes it illegal.

    `attacked` is whether the King is attacked now.
    """
    return not state.king_is_captured and (attacked or may_uncover_king(state, action))


def may_uncover_king(state: State, action: int) -> bool:
    """Whether an action might leave a King attacked that is not attacked now.

    The King's own moves and joint advances, which leave two squares, always might. Any other
    action might only if its piece stands between the King and an enemy that moves along their
    line: steps and leaps towards the King cannot be covered, and a piece that arrives only covers
    more.
    """
    board = state.board
    king = state.kings[state.side]
    origin = action & 255
    if origin == king or (action >> 20) & 15:
        return True
    step = LINES[256 + origin - king]
    if step == 0:
        return False
    enemy = BLACK >> state.side
    at = king + step
    # A Hussar passes over its friends, three squares along the line.
    if (origin == at or origin == at + step) and board[at + 2 * step] == enemy | HUSSAR:
        return True
    while at != origin:
        if board[at] != EMPTY:
            return False
        at += step
    at += step
    while board[at] == EMPTY:
        at += step
    return board[at] & enemy != 0 and board[at] & KIND >= BISHOP


def keep_legal(state: State, actions: ActionList) -> None:
    """Remove the actions that leave the own King attacked from a list of pseudo-legal ones."""
    if state.king_is_captured or actions.count == 0:
        return
    attacked = mover_in_check(state)
    shields = [0, 0, 0, 0]
    if not attacked:
        find_shields(state, shields)
    king = state.kings[state.side]
    kept = 0
    for i in range(actions.count):
        action = actions.items[i]
        at = action & 255
        exposing = attacked or at == king or shields[at >> 6] & BIT[at & 63] != 0
        if action >> 20 & 15:
            at += AROUND[(action >> 20 & 15) - 1]
            exposing = exposing or shields[at >> 6] & BIT[at & 63] != 0
        if not exposing or is_safe_on_trial(state, action):
            actions.items[kept] = action
            kept += 1
    actions.count = kept


def find_shields(state: State, shields: list[int]) -> None:
    """Put the pieces that shield a King who is not attacked now into the set `shields`.

    On each line to him these are the first own piece if an enemy that moves along lines is
    behind it, and the first two if one is behind them, since joint advances leave two squares.
    Steps and leaps towards the King cannot be covered, and a piece that arrives only covers more.
    A set is four numbers, with one bit for each of 64 squares.
    """
    board = state.board
    king = state.kings[state.side]
    own = WHITE << state.side
    enemy = BLACK >> state.side
    for d in AROUND:
        first = king + d
        # A Hussar passes over its friends, three squares along the line.
        second = first + d
        if board[first] != OFF and board[second] != OFF and board[second + d] == enemy | HUSSAR:
            shields[first >> 6] |= BIT[first & 63]
            shields[second >> 6] |= BIT[second & 63]
        while board[first] == EMPTY:
            first += d
        if not board[first] & own:
            continue
        second = first + d
        while board[second] == EMPTY:
            second += d
        behind = second
        if board[second] & own:
            behind += d
            while board[behind] == EMPTY:
                behind += d
        if board[behind] & enemy and board[behind] & KIND >= BISHOP:
            shields[first >> 6] |= BIT[first & 63]
            shields[second >> 6] |= BIT[second & 63]


def push_if_legal(state: State, action: int, actions: ActionList) -> bool:
    """Push an action if it is legal; otherwise False, and nothing changes.

    The action is above 0 and below 1 << 26; `actions` is overwritten with others like it.
    """
    list_actions_like(state, action, actions)
    if not actions.holds(action):
        return False
    exposing = may_expose_king(state, action, mover_in_check(state))
    side = state.side
    push(state, action)
    if exposing and in_check(state, side):
        pop(state)
        return False
    return True
