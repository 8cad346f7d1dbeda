"""What the pieces attack; compiled with `attacks.pxd`."""

from __future__ import annotations

from typing import Final

from engine.kerd import board as tables
from engine.kerd.board import (
    AIR_REGION,
    BISHOP,
    COMMANDER,
    EMPTY,
    HUSSAR,
    JUMPER,
    KIND,
    KING,
    LAST_SHORT,
    PIECE,
    QUEEN,
    SCOUT,
    SQUARES,
    TOWER,
    WHITE,
    region,
)
from engine.kerd.state import State

ORTHOGONAL: Final = list(tables.ORTHOGONAL)
DIAGONAL: Final = list(tables.DIAGONAL)
AROUND: Final = list(tables.AROUND)
L_LEAPS: Final = list(tables.L_LEAPS)
SIDEWAYS: Final = [-1, 1]
AIR: Final = [cell in SQUARES and region(cell) == AIR_REGION for cell in range(256)]


def in_check(state: State, side: int) -> bool:
    """Whether the side's King is attacked; a captured one is not."""
    king = state.kings[side]
    return king != 0 and is_attacked(state, king, 1 - side)


def is_attacked(state: State, at: int, by: int) -> bool:
    """Whether side `by` could capture an enemy that stands, or would stand, on the square."""
    return (
        is_attacked_straight(state, at, by)
        or is_attacked_diagonally(state, at, by)
        or is_attacked_by_step_or_leap(state, at, by)
    )


def is_attacked_by_step_or_leap(state: State, at: int, by: int) -> bool:
    """Pawns, Commanders, Jumpers, Kings, and the Hussars' L-leaps (Ruling R20)."""
    board = state.board
    colour = WHITE << by
    behind = at + 32 * by - 16
    if board[behind] == colour | JUMPER:
        return True
    for d in SIDEWAYS:
        piece = board[behind + d]
        if piece & colour and piece & KIND <= LAST_SHORT:
            return True
    for d in L_LEAPS:
        if board[at + d] == colour | HUSSAR:
            return True
    for d in AROUND:
        if board[at + d] == colour | KING:
            return True
    # Ruling R26: the Commanders' recapture attacks what took their Pawn and stands there.
    if at == state.recapture:
        for d in AROUND:
            if board[at + d] & PIECE == colour | COMMANDER:
                return True
    return False


def is_attacked_straight(state: State, at: int, by: int) -> bool:
    """Towers, Queens, and the Hussars' straight moves."""
    board = state.board
    colour = WHITE << by
    for d in ORTHOGONAL:
        # A Hussar passes over its friends; its enemies on the way stop it.
        one = board[at + d]
        if one == EMPTY or one & colour:
            two = board[at + 2 * d]
            if (
                (two == EMPTY or two & colour)
                and board[at + 3 * d] == colour | HUSSAR
                and not is_barred(state, at + 3 * d, at, -d)
            ):
                return True
        to = at + d
        while board[to] == EMPTY:
            to += d
        piece = board[to]
        if piece & colour:
            kind = piece & KIND
            if kind in (TOWER, QUEEN):
                return True
    return False


def is_attacked_diagonally(state: State, at: int, by: int) -> bool:
    """Scouts, Queens, and Bishops under the region rule."""
    board = state.board
    colour = WHITE << by
    for d in DIAGONAL:
        to = at + d
        while board[to] == EMPTY:
            to += d
        piece = board[to]
        if piece & colour:
            kind = piece & KIND
            if kind in (SCOUT, QUEEN):
                return True
            if kind == BISHOP and not is_barred(state, to, at, -d):
                return True
    return False


def is_barred(state: State, origin: int, target: int, step: int) -> bool:
    """Whether the region rule forbids the path of a capture.

    In the rulebook a path from water or land may not leave the air once it has entered it; in
    the draft there may be no air between two squares that are not air.
    """
    if AIR[origin] or (state.captures_only and AIR[target]):
        return False
    entered = False
    at = origin
    while at != target:
        at += step
        if AIR[at]:
            entered = True
        elif entered:
            return True
    return False
