"""Quadrille's tree for the search (`engine.tree`), and its evaluation; compiled with `tree.pxd`."""

from __future__ import annotations

from typing import Final

from engine import tree
from engine.tree import Tree
from tests.fifth_game import board as geometry
from tests.fifth_game.board import EMPTY, KIND, KING, PAWN, WHITE
from tests.fifth_game.kernel import Position

SQUARES: Final = list(geometry.SQUARES)
LOST: Final[int] = tree.LOST
DRAWN: Final[int] = tree.DRAWN
ONGOING: Final[int] = tree.ONGOING
GAIN_SHIFT: Final[int] = tree.GAIN_SHIFT
SCALE: Final = 200
"""Centipawns per unit of the log-odds of winning."""

TAKEN: Final = [0, 100, 10_000]
"""What capturing each kind gains."""
ADVANCE: Final = [0, 0, 10, 40, 5]
"""The value of a Pawn's rank, its own first being 1; on the last it is stuck."""
SIDE: Final = 576
HASH: Final = tree.zobrist_numbers("quadrille", 577)


class QuadrilleTree(Tree):
    """See `engine.tree.Tree`; searches a copy of the position."""

    def __init__(self, position: Position) -> None:
        super().__init__()
        self.position = position.copy()
        self.hash_node()

    def hash_node(self) -> None:
        """Set the node's side and hash from the current position."""
        position = self.position
        self.side = position.side
        self.key = HASH[SIDE] if position.side else 0
        for at in SQUARES:
            self.key ^= HASH[16 * at + position.piece_at(at)]

    def evaluate_material(self) -> int:
        """The Pawns."""
        total = 0
        own = WHITE << self.side
        for at in SQUARES:
            piece = self.position.piece_at(at)
            if piece & KIND == PAWN:
                total += 100 if piece & own else -100
        return total

    def evaluate_terms(self) -> int:
        """Material, the advance of Pawns, and how near the Kings are to the centre."""
        total = self.evaluate_material()
        for at in SQUARES:
            piece = self.position.piece_at(at)
            if piece == EMPTY:
                continue
            side = 0 if piece & WHITE else 1
            rank = at // 6
            sign = 1 if side == self.side else -1
            if piece & KIND == PAWN:
                total += sign * ADVANCE[5 - rank if side else rank]
            else:
                total -= sign * (abs(2 * rank - 5) + 2 * abs(2 * (at % 6) - 5))
        return total

    def result(self) -> int:
        """See `engine.tree.Tree.result`."""
        return ONGOING if self.position.can_win(self.side) else LOST

    def result_without_moves(self) -> int:
        """Stalemate, a draw."""
        return DRAWN

    def list_moves(self, first: int) -> int:
        """See `engine.tree.Tree.list_moves`; the moves are legal."""
        return self.position.list_actions(self.moves, first)

    def score_move(self, move: int) -> int:
        """See `engine.tree.Tree.score_move`: captures, the King's first of all."""
        taken = TAKEN[self.position.piece_at(move & 63) & KIND]
        return taken << GAIN_SHIFT | (self.position.piece_at(move >> 6) & KIND == PAWN)

    def make_move(self, move: int) -> bool:
        """See `engine.tree.Tree.make_move`."""
        self.position.push(move)
        self.ply += 1
        self.hash_node()
        return True

    def unmake_move(self) -> None:
        """See `engine.tree.Tree.unmake_move`."""
        self.position.pop()
        self.ply -= 1
        self.hash_node()

    def in_check(self) -> bool:
        """Whether the own King could be captured, by listing the other side's moves."""
        position = self.position
        position.side = 1 - position.side
        last = position.list_actions(position.found, 0)
        position.side = 1 - position.side
        for i in range(last):  # noqa: SIM110 - a loop is C, a generator is not
            if position.piece_at(position.found[i] & 63) & KIND == KING:
                return True
        return False

    def allows_null_move(self) -> bool:
        """Never: zugzwang is common on so small a board."""
        return False
