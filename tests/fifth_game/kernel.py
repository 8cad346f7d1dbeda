"""The rules of Quadrille: legal actions, making and unmaking them; compiled with `kernel.pxd`.

Squares, pieces and actions are the integers of `tests.fifth_game.board`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

from engine.errors import IllegalAction, InvalidPosition
from engine.outcome import Outcome, Termination
from engine.position import MAX_DEPTH as DEEPEST
from engine.position import Action
from engine.side import Side
from tests.fifth_game import board as geometry
from tests.fifth_game.board import BLACK, EMPTY, KIND, KING, OFF, PAWN, START, WHITE

SQUARES: Final = list(geometry.SQUARES)
AROUND: Final = [-7, -6, -5, -1, 1, 5, 6, 7]
SIDEWAYS: Final = [-1, 1]
MAX_DEPTH: Final[int] = DEEPEST
LARGEST: Final = 999_999_999
"""The greatest move number; the kernel counts in 32 bits."""


class Position:
    """A position of Quadrille. See `engine.position.Position`."""

    def __init__(self, pieces: Mapping[int, int], side: int = 0, number: int = 1) -> None:
        """The position with these pieces by square; raises InvalidPosition."""
        self.board: list[int] = [OFF] * 36
        self.kings: list[int] = [0] * 2
        self.found: list[int] = [0] * 64
        self.made: list[int] = [0] * 64
        self.captured: list[int] = [0] * 64
        self.depth: int = 0
        self.side: int = side
        self.number: int = number
        if not 1 <= number <= LARGEST:
            raise InvalidPosition("move", f"{number} is not from 1 to {LARGEST}")
        for at in SQUARES:
            self.board[at] = pieces.get(at, EMPTY)
        for owner in range(2):
            squares = [at for at in SQUARES if self.board[at] == WHITE << owner | KING]
            if len(squares) > 1 or (not squares and owner != side):
                raise InvalidPosition("placement", "each side has one King until it is captured")
            self.kings[owner] = sum(squares)
        if sum(1 for at in SQUARES if self.board[at] & KIND == PAWN) > 6:
            raise InvalidPosition("placement", "there are at most six Pawns")

    def copy(self) -> Position:
        """An equal position, without actions to take back."""
        return Position({at: self.board[at] for at in SQUARES}, self.side, self.number)

    def key(self) -> tuple[object, ...]:
        """See `engine.position.Position.key`."""
        return (tuple([self.board[at] for at in SQUARES]), self.side, self.number)

    def points(self) -> tuple[int, int] | None:
        """None: Quadrille counts no points."""
        return None

    def piece_at(self, square: int) -> int:
        """The piece on a square, or EMPTY; raises IndexError for an index outside the board."""
        if not 0 <= square < 36:
            raise IndexError(square)
        return self.board[square]

    def list_actions(self, found: list[int], first: int) -> int:
        """Put the legal actions into a list from `first` on; returns the end index."""
        last = first
        if self.kings[self.side] == 0:
            return last
        board = self.board
        own = WHITE << self.side
        enemy = BLACK >> self.side
        ahead = 6 - 12 * self.side
        for at in SQUARES:
            if board[at] == own | KING:
                for step in AROUND:
                    if board[at + step] == EMPTY or board[at + step] & enemy:
                        found[last] = at << 6 | (at + step)
                        last += 1
            elif board[at] == own | PAWN:
                if board[at + ahead] == EMPTY:
                    found[last] = at << 6 | (at + ahead)
                    last += 1
                for step in SIDEWAYS:
                    if board[at + ahead + step] & enemy:
                        found[last] = at << 6 | (at + ahead + step)
                        last += 1
        return last

    def legal(self) -> list[Action]:
        """See `engine.position.Position.legal`."""
        count = self.list_actions(self.found, 0)
        return cast("list[Action]", sorted([self.found[i] for i in range(count)]))

    def is_legal(self, action: Action) -> bool:
        """See `engine.position.Position.is_legal`."""
        return action in self.legal()

    def outcome(self) -> Outcome | None:
        """See `engine.position.Position.outcome`."""
        if self.kings[self.side] == 0:
            return Outcome(Side(1 - self.side), Termination.KING_CAPTURED)
        if self.list_actions(self.found, 0) == 0:
            return Outcome(None, Termination.STALEMATE)
        return None

    def can_win(self, side: int) -> bool:
        """See `engine.position.Position.can_win`: a King is enough to capture the other."""
        return self.kings[side] != 0

    def play(self, action: Action) -> None:
        """See `engine.position.Position.play`."""
        if not self.is_legal(action):
            raise IllegalAction(action)
        self.depth = 0
        self.push(action)
        self.depth = 0

    def make(self, action: Action) -> None:
        """See `engine.position.Position.make`."""
        if self.depth == MAX_DEPTH:
            raise IndexError(self.depth)
        self.push(action)

    def unmake(self) -> None:
        """See `engine.position.Position.unmake`."""
        if self.depth == 0:
            raise IndexError(self.depth)
        self.pop()

    def push(self, action: int) -> None:
        """Play a legal action, so that `pop` can take it back."""
        side = self.side
        origin = action >> 6
        target = action & 63
        captured = self.board[target]
        self.made[self.depth] = action
        self.captured[self.depth] = captured
        self.depth += 1
        self.board[target] = self.board[origin]
        self.board[origin] = EMPTY
        if self.board[target] & KIND == KING:
            self.kings[side] = target
        if captured & KIND == KING:
            self.kings[1 - side] = 0
        self.side = 1 - side
        self.number += side

    def pop(self) -> None:
        """Take back the last action pushed."""
        self.depth -= 1
        side = 1 - self.side
        action = self.made[self.depth]
        captured = self.captured[self.depth]
        origin = action >> 6
        target = action & 63
        self.side = side
        self.number -= side
        self.board[origin] = self.board[target]
        self.board[target] = captured
        if self.board[origin] & KIND == KING:
            self.kings[side] = origin
        if captured & KIND == KING:
            self.kings[1 - side] = target

    def perft(self, depth: int) -> int:
        """See `engine.position.Position.perft`."""
        if not 0 <= depth <= MAX_DEPTH:
            raise ValueError(depth)
        if depth == 0:
            return 1
        nodes = 0
        for action in self.legal():
            if depth == 1:
                nodes += 1
            else:
                after = self.copy()
                after.push(action)
                nodes += after.perft(depth - 1)
        return nodes


def start() -> Position:
    """The first position."""
    white = {at: WHITE | kind for at, kind in START.items()}
    black = {35 - at: BLACK | kind for at, kind in START.items()}
    return Position(white | black)
