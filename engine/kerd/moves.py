"""The moves of single pieces, castlings apart; compiled with `moves.pxd`."""

from __future__ import annotations

from typing import Final

from engine.kerd import board as tables
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
    PAWN,
    PIECE,
    SCOUT,
    TOWER,
    WHITE,
    region,
)
from engine.kerd.placement import Placement
from engine.kerd.rules import Rules

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

TO: Final = 8
PROMOTION: Final = 16
PARTNER: Final = 20


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

    def holds(self, action: int) -> bool:
        """Whether an action is on the list."""
        for i in range(self.count):  # noqa: SIM110 - a loop is C, a generator is not
            if self.found[i] == action:
                return True
        return False


class Mover(Placement):
    """A placement with what else its pieces' moves depend on.

    `pool` counts the removed pieces by colour and kind.
    """

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.promotion: int = int(rules.promotion)
        self.pool: list[int] = [0] * 64

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
