"""The pseudo-legal actions of a position; compiled with `generation.pxd`."""

from __future__ import annotations

from typing import Final

from engine.kerd import board as tables
from engine.kerd.action import Deed
from engine.kerd.board import (
    AIR_REGION,
    BISHOP,
    BLACK,
    COLOURS,
    COMMANDER,
    EMPTY,
    FRESH,
    HUSSAR,
    JUMPER,
    KIND,
    KING,
    LAST_ELIGIBLE,
    PAWN,
    PIECE,
    SCOUT,
    TOWER,
    UNKNOWN,
    WHITE,
    WITHOUT,
    region,
)
from engine.kerd.board import REVEALED as TURNED
from engine.kerd.placement import Placement
from engine.kerd.rules import Rules

SQUARES: Final = list(tables.SQUARES)
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
KING_HOME: Final = list(tables.KING_HOME)
KING_CASTLED: Final = list(tables.KING_CASTLED)
JUMPER_HOME: Final = list(tables.JUMPER_HOME)

TO: Final = 8
PROMOTION: Final = 16
PARTNER: Final = 20
CASTLE: Final = Deed.CASTLE << 24
REVEAL: Final = Deed.REVEAL << 24
EXECUTE: Final = Deed.EXECUTE << 24


class Actions:
    """The actions found in one position, with room for 1024.

    Fewer than 900 are possible: 10 of the King, 43 of the Queen, 22 of each Tower, Scout and
    Bishop, 12 of a Hussar, 16 of a Jumper, 13 of a Commander alone, 24 of each of 12 Pawns, 8 of
    each of at most 24 joint pairs, 21 executions, 21 reveals, with one piece beyond the set.
    """

    def __init__(self) -> None:
        self.found: list[int] = [0] * 1024
        self.count: int = 0

    def add(self, action: int) -> None:
        """Put one more action on the list."""
        self.found[self.count] = action
        self.count += 1


class Generator(Placement):
    """A placement with all else that actions depend on.

    `choices` are the sides' choices of an infiltrator; `rights` are the castlings whose King and
    Tower have not moved, one bit each; `pool` counts the removed pieces by colour and kind;
    `alarm` says whether a King has been in check: 0 no, 1 yes, 2 if that of the side to move is.
    """

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.executions: int = int(rules.executions)
        self.promotion: int = int(rules.promotion)
        self.choices: list[int] = [0] * 2
        self.rights: int = 0
        self.pool: list[int] = [0] * 64
        self.alarm: int = 2

    def has_checked(self) -> bool:
        """Whether either King has been in check so far."""
        if self.alarm == 2:
            self.alarm = 1 if self.in_check(self.side) else 0
        return self.alarm == 1

    def generate(self) -> Actions:
        """All actions, those included that leave the own King attacked."""
        actions = Actions()
        self.fill(actions)
        return actions

    def fill(self, actions: Actions) -> None:
        """`generate`, in the place of the actions found before."""
        actions.count = 0
        if self.kings[self.side] == 0:
            return
        board = self.board
        own = WHITE << self.side
        # Rulings R28 and R61: something to suspect, as far as anybody may know.
        choice = self.choices[1 - self.side]
        suspects = self.executions and choice != TURNED and choice != WITHOUT
        for at in SQUARES:
            piece = board[at]
            if piece & own:
                self.add_moves(at, actions)
                if suspects and piece & KIND <= LAST_ELIGIBLE:
                    actions.add(at | at << TO | EXECUTE)
        if self.rights:
            self.add_castlings(actions)
        if self.has_checked():
            self.add_reveals(actions)

    def moves_of(self, kind: int) -> Actions:
        """The moves of the pieces of one kind, those included that leave the own King attacked."""
        actions = Actions()
        if self.kings[self.side] == 0:
            return actions
        piece = WHITE << self.side | kind
        for at in SQUARES:
            if self.board[at] & PIECE == piece:
                self.add_moves(at, actions)
        return actions

    def add_moves(self, at: int, actions: Actions) -> None:
        """The moves of the piece of the side to move that stands on a square."""
        kind = self.board[at] & KIND
        if kind <= COMMANDER:
            self.add_pawn_moves(at, kind, actions)
            if kind == COMMANDER:
                self.add_joint_advances(at, actions)
                if self.recapture:
                    self.add_recapture(at, actions)
        elif kind == JUMPER:
            self.add_steps(at, actions)
            self.add_jumps(at, actions)
        elif kind == BISHOP:
            self.add_flights(at, actions)
        elif kind == HUSSAR:
            self.add_leaps(at, actions)
        elif kind == KING:
            self.add_king_steps(at, actions)
        else:
            if kind != SCOUT:
                self.add_slides(at, ORTHOGONAL, actions)
            if kind != TOWER:
                self.add_slides(at, DIAGONAL, actions)

    def reach(self, at: int) -> int:
        """How far the Pawn or Commander on a square may advance over empty squares."""
        return REGION[at] + 1 if self.board[at] & FRESH else 1

    def add_pawn_moves(self, at: int, kind: int, actions: Actions) -> None:
        """Advances and diagonal captures of a Pawn or Commander."""
        board = self.board
        ahead = 16 - 32 * self.side
        enemy = BLACK >> self.side
        to = at
        for _ in range(self.reach(at)):
            to += ahead
            if board[to] != EMPTY:
                break
            self.add_pawn_move(at | to << TO, to, kind, actions)
        for d in range(-1, 2, 2):
            to = at + ahead + d
            if board[to] & enemy:
                self.add_pawn_move(at | to << TO, to, kind, actions)

    def add_pawn_move(self, action: int, to: int, kind: int, actions: Actions) -> None:
        """A move that takes a Pawn (Ruling R24: no Commander) to a square, promoting or not."""
        actions.add(action)
        if kind == PAWN and self.promotion and PROMOTES[to | self.side << 8]:
            own = WHITE << self.side
            for back in BROUGHT_BACK:
                if self.pool[own | back]:
                    actions.add(action | back << PROMOTION)

    def add_joint_advances(self, at: int, actions: Actions) -> None:
        """A Commander's advances together with a neighbouring Pawn (Ruling R25)."""
        board = self.board
        ahead = 16 - 32 * self.side
        pawn = WHITE << self.side | PAWN
        for i in range(8):
            beside = at + AROUND[i]
            if board[beside] & PIECE != pawn:
                continue
            far = min(self.reach(at), self.reach(beside))
            to = at
            end = beside
            for _ in range(far):
                to += ahead
                end += ahead
                # Both are lifted off the board first, so each may enter where the other stood.
                if (board[to] != EMPTY and to != beside) or (board[end] != EMPTY and end != at):
                    break
                self.add_pawn_move(at | to << TO | (i + 1) << PARTNER, end, PAWN, actions)

    def add_recapture(self, at: int, actions: Actions) -> None:
        """A Commander's capture where a Pawn beside it was just taken, whatever the direction."""
        way = self.recapture - at
        ahead = 16 - 32 * self.side
        for d in AROUND:
            if d == way and way != ahead - 1 and way != ahead + 1:
                actions.add(at | self.recapture << TO)

    def add_steps(self, at: int, actions: Actions) -> None:
        """A Jumper's single steps: it captures forward and diagonally forward alone."""
        board = self.board
        enemy = BLACK >> self.side
        ahead = 16 - 32 * self.side
        for d in AROUND:
            piece = board[at + d]
            if piece == EMPTY or (piece & enemy and -1 <= d - ahead <= 1):
                actions.add(at | (at + d) << TO)

    def add_jumps(self, at: int, actions: Actions) -> None:
        """A Jumper's jumps (Ruling R27), in the rulebook under the region rule."""
        board = self.board
        for d in AROUND:
            over = at + d
            for _ in range(REGION[at]):
                if board[over] != EMPTY:
                    break
                over += d
            landing = over + d
            if not board[over] & COLOURS or board[landing] != EMPTY:
                continue
            if self.captures_only or not self.barred(at, landing, d):
                actions.add(at | landing << TO)

    def add_flights(self, at: int, actions: Actions) -> None:
        """A Bishop's moves under the region rule."""
        board = self.board
        enemy = BLACK >> self.side
        free = self.captures_only or AIR[at]
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
                actions.add(at | to << TO)
                to += d
            if board[to] & enemy and not self.barred(at, to, d):
                actions.add(at | to << TO)

    def add_leaps(self, at: int, actions: Actions) -> None:
        """A Hussar's L-leaps (Ruling R20: always free) and straight moves."""
        board = self.board
        own = WHITE << self.side
        enemy = BLACK >> self.side
        for d in L_LEAPS:
            piece = board[at + d]
            if piece == EMPTY or piece & enemy:
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
            quiet = piece == EMPTY
            if (quiet or piece & enemy) and (
                (quiet and self.captures_only) or not self.barred(at, to, d)
            ):
                actions.add(at | to << TO)

    def add_slides(self, at: int, steps: list[int], actions: Actions) -> None:
        """Moves along four lines, free of the region rule."""
        board = self.board
        enemy = BLACK >> self.side
        for d in steps[:4]:
            to = at + d
            while board[to] == EMPTY:
                actions.add(at | to << TO)
                to += d
            if board[to] & enemy:
                actions.add(at | to << TO)

    def add_king_steps(self, at: int, actions: Actions) -> None:
        """The King's steps; castlings are found apart."""
        board = self.board
        enemy = BLACK >> self.side
        for d in AROUND:
            piece = board[at + d]
            if piece == EMPTY or piece & enemy:
                actions.add(at | (at + d) << TO)

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
