"""Where the pieces stand and what they attack; compiled with `placement.pxd`."""

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
    OFF,
    PIECE,
    QUEEN,
    SCOUT,
    SQUARES,
    TOWER,
    WHITE,
    region,
)
from engine.kerd.rules import Rules

ORTHOGONAL: Final = list(tables.ORTHOGONAL)
DIAGONAL: Final = list(tables.DIAGONAL)
AROUND: Final = list(tables.AROUND)
L_LEAPS: Final = list(tables.L_LEAPS)
SIDEWAYS: Final = [-1, 1]
AIR: Final = [cell in SQUARES and region(cell) == AIR_REGION for cell in range(256)]
EDGES: Final = [EMPTY if cell in SQUARES else OFF for cell in range(256)]


class Placement:
    """The pieces by square, and whose turn it is to use them.

    `recapture` is the square where the last move took a Pawn, else 0; `kings` are the Kings'
    squares, 0 for a lost one.
    """

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.captures_only: int = int(rules.region_binds_captures_only)
        self.board: list[int] = [OFF] * 256
        self.kings: list[int] = [0] * 2
        self.side: int = 0
        self.recapture: int = 0
        self.board[:] = EDGES

    def in_check(self, side: int) -> bool:
        """Whether the side's King is attacked; a lost one is not."""
        king = self.kings[side]
        return king != 0 and self.attacked(king, 1 - side)

    def attacked(self, at: int, by: int) -> bool:
        """Whether side `by` could capture an enemy that stands, or would stand, on the square."""
        return (
            self.slid_to_straight(at, by)
            or self.slid_to_diagonally(at, by)
            or self.stepped_or_leapt_to(at, by)
        )

    def stepped_or_leapt_to(self, at: int, by: int) -> bool:
        """Pawns, Commanders, Jumpers, Kings, and the Hussars' L-leaps (Ruling R20)."""
        board = self.board
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
        if at == self.recapture:
            for d in AROUND:
                if board[at + d] & PIECE == colour | COMMANDER:
                    return True
        return False

    def slid_to_straight(self, at: int, by: int) -> bool:
        """Towers, Queens, and the Hussars' straight moves."""
        board = self.board
        colour = WHITE << by
        for d in ORTHOGONAL:
            # A Hussar passes over its friends; its enemies on the way stop it.
            one = board[at + d]
            if one == EMPTY or one & colour:
                two = board[at + 2 * d]
                if (
                    (two == EMPTY or two & colour)
                    and board[at + 3 * d] == colour | HUSSAR
                    and not self.barred(at + 3 * d, at, -d)
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

    def slid_to_diagonally(self, at: int, by: int) -> bool:
        """Scouts, Queens, and Bishops under the region rule."""
        board = self.board
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
                if kind == BISHOP and not self.barred(to, at, -d):
                    return True
        return False

    def barred(self, origin: int, target: int, step: int) -> bool:
        """The region rule for a capture: may the way not be taken?

        In the rulebook a way from water or land may not leave the air that it has entered; in
        the draft air may not lie between two squares that are none.
        """
        if AIR[origin] or (self.captures_only and AIR[target]):
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
