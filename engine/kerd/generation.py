"""The pseudo-legal actions of a position; compiled with `generation.pxd`."""

from __future__ import annotations

from typing import Final

from engine.kerd import board as tables
from engine.kerd.action import Deed
from engine.kerd.board import (
    BLACK,
    EMPTY,
    JUMPER,
    KIND,
    LAST_ELIGIBLE,
    OFF,
    PIECE,
    UNKNOWN,
    WHITE,
    WITHOUT,
)
from engine.kerd.board import REVEALED as TURNED
from engine.kerd.moves import Actions, Mover
from engine.kerd.rules import Rules

SQUARES: Final = list(tables.SQUARES)
AROUND: Final = list(tables.AROUND)
L_LEAPS: Final = list(tables.L_LEAPS)
KING_HOME: Final = list(tables.KING_HOME)
KING_CASTLED: Final = list(tables.KING_CASTLED)
JUMPER_HOME: Final = list(tables.JUMPER_HOME)

TO: Final = 8
CASTLE: Final = Deed.CASTLE << 24
REVEAL: Final = Deed.REVEAL << 24
EXECUTE: Final = Deed.EXECUTE << 24


class Generator(Mover):
    """A placement with all else that actions depend on.

    `choices` are the sides' choices of an infiltrator; `rights` are the castlings whose King and
    Tower have not moved, one bit each; `alarm` says whether a King has been in check: 0 no,
    1 yes, 2 if that of the side to move is.
    """

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.executions: int = int(rules.executions)
        self.choices: list[int] = [0] * 2
        self.rights: int = 0
        self.alarm: int = 2

    def has_checked(self) -> bool:
        """Whether either King has been in check so far."""
        if self.alarm == 2:
            self.alarm = 1 if self.in_check(self.side) else 0
        return self.alarm == 1

    def threatened(self) -> bool:
        """Whether the King of the side to move is attacked, looked for where it can be."""
        return self.in_check(self.side) if self.alarm == 1 else self.has_checked()

    def may_execute(self) -> bool:
        """Whether there is something to suspect, as far as anybody may know.

        Rulings R28 and R61.
        """
        choice = self.choices[1 - self.side]
        return self.executions != 0 and choice != TURNED and choice != WITHOUT

    def fill(self, actions: Actions) -> None:
        """Find all actions, those included that leave the own King attacked."""
        actions.count = 0
        if self.kings[self.side] == 0:
            return
        board = self.board
        own = WHITE << self.side
        suspects = self.may_execute()
        for at in SQUARES:
            piece = board[at]
            if piece & own:
                self.add_moves(at, actions)
                if suspects:
                    self.add_execution(at, actions)
        if self.rights:
            self.add_castlings(actions)
        if self.has_checked():
            self.add_reveals(actions)

    def fill_like(self, action: int, actions: Actions) -> None:
        """Of what `fill` finds: an action's like from its origin, and so it if it is there."""
        actions.count = 0
        at = action & 255
        if self.kings[self.side] == 0:
            return
        if action < CASTLE:
            if self.board[at] & WHITE << self.side:
                self.add_moves(at, actions)
        elif action < REVEAL:
            self.add_castlings(actions)
        elif action < EXECUTE:
            if self.has_checked():
                self.add_reveals(actions)
        elif self.board[at] & WHITE << self.side and self.may_execute():
            self.add_execution(at, actions)

    def fill_to(self, kind: int, target: int, actions: Actions) -> None:
        """Of what `fill` finds: all moves of the pieces of one kind that could go to a square.

        Every move goes along a line or is an L-leap. There are none to what is no square.
        """
        actions.count = 0
        board = self.board
        if self.kings[self.side] == 0 or not 0 <= target < 256 or board[target] == OFF:
            return
        piece = WHITE << self.side | kind
        for d in AROUND:
            at = target + d
            while board[at] != OFF:
                if board[at] & PIECE == piece:
                    self.add_moves(at, actions)
                at += d
        for d in L_LEAPS:
            if board[target + d] & PIECE == piece:
                self.add_moves(target + d, actions)

    def add_execution(self, at: int, actions: Actions) -> None:
        """The execution of the own piece on a square, if its kind can be an infiltrator."""
        if self.board[at] & KIND <= LAST_ELIGIBLE:
            actions.add(at | at << TO | EXECUTE)

    def add_castlings(self, actions: Actions) -> None:
        """The castlings of the side to move whose King and Tower have not moved."""
        for n in range(2 * self.side, 2 * self.side + 2):
            if self.rights & 1 << n and self.may_castle(n):
                actions.add(KING_HOME[n] | KING_CASTLED[n] << TO | CASTLE)

    def may_castle(self, n: int) -> bool:
        """Whether the King's way to the Jumper (Ruling R33) is empty and his own unattacked.

        Ruling R62: with the King where he stands.
        """
        board = self.board
        at = KING_HOME[n]
        jumper = JUMPER_HOME[n]
        step = 1 if jumper > at else -1
        if board[jumper] != WHITE << self.side | JUMPER:
            return False
        for to in range(at + step, jumper, step):
            if board[to] != EMPTY:
                return False
        for to in range(at, KING_CASTLED[n] + step, step):
            if self.attacked(to, 1 - self.side):
                return False
        return True

    def add_reveals(self, actions: Actions) -> None:
        """The reveal of the own infiltrator, or of any possible one (Ruling R30)."""
        choice = self.choices[self.side]
        if choice > WITHOUT:
            actions.add(choice | choice << TO | REVEAL)
        elif choice == UNKNOWN:
            enemy = BLACK >> self.side
            for at in SQUARES:
                piece = self.board[at]
                if piece & enemy and piece & KIND <= LAST_ELIGIBLE:
                    actions.add(at | at << TO | REVEAL)
