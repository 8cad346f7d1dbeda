"""Kerak's tree for the search (`engine.tree`); compiled with `tree.pxd`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from engine import tree
from engine.kerak import action as packing
from engine.kerak import board as geometry
from engine.kerak import layout
from engine.kerak import pieces as table
from engine.kerak.evaluation import evaluate, material
from engine.kerak.features import add_position, change_features
from engine.kerak.kernel import Position
from engine.learned.files import read_network
from engine.tree import Tree

EMPTY: Final = table.EMPTY
RED: Final = table.RED
BOTH: Final = table.RED | table.BLUE
KIND: Final = 7
INFANTRY: Final = int(table.PieceKind.INFANTRY)
CASTLE: Final = int(table.PieceKind.CASTLE)
PASS: Final = int(packing.PASS)
PLACEMENTS: Final = 1 << 12
SPACES: Final = geometry.SPACES
EVERYWHERE: Final = geometry.EVERYWHERE
LOST: Final[int] = tree.LOST
WON: Final[int] = tree.WON
DRAWN: Final[int] = tree.DRAWN
ONGOING: Final[int] = tree.ONGOING
GAIN_SHIFT: Final[int] = tree.GAIN_SHIFT
NETWORK: Final = read_network(Path(__file__).parent, layout.LAYOUT, layout.FEATURES, layout.MOST)

# The gain of a capture by kind; that of the Castle wins the game.
TAKEN: Final = [100 * value for value in table.VALUE] + [0]
TAKEN[CASTLE] = 10_000

# Where the hash has its numbers: pieces by space, then the rest of a position.
SIDE: Final = 2048
UNPLACED: Final = 2049
POINTS: Final = 2113
HASH: Final = tree.zobrist_numbers("kerak", 2241)


class KerakTree(Tree):
    """See `engine.tree.Tree`; the position given stays as it is."""

    def __init__(self, position: Position) -> None:
        super().__init__()
        self.position: Position = position.copy()
        # By ply: the move made there and what it captured, the hash of what stands where, and the
        # whole hash.
        self.made: list[int] = [0] * 65
        self.captured: list[int] = [0] * 65
        self.piece_keys: list[int] = [0] * 65
        self.keys: list[int] = [0] * 65
        for space in range(SPACES):
            self.piece_keys[0] ^= HASH[space << 5 | self.position.board[space]]
        self.hash_node()
        if NETWORK is not None:
            self.begin_network(NETWORK)

    def hash_node(self) -> None:
        """Set the side and the hash of the node that the position is now at."""
        position = self.position
        key = self.piece_keys[self.ply]
        key ^= HASH[UNPLACED + position.unplaced[0]] ^ HASH[UNPLACED + 32 + position.unplaced[1]]
        key ^= HASH[POINTS + position.score[0]] ^ HASH[POINTS + 64 + position.score[1]]
        if position.side:
            key ^= HASH[SIDE]
        self.side = position.side
        self.key = key
        self.keys[self.ply] = key

    def add_features(self) -> None:
        """See `engine.tree.Tree.add_features`."""
        add_position(self.position, self.accumulator)

    def evaluate_material(self) -> int:
        """See `engine.tree.Tree.evaluate_material`."""
        return material(self.position)

    def evaluate_terms(self) -> int:
        """See `engine.tree.Tree.evaluate_terms`."""
        return evaluate(self.position)

    def is_building(self) -> bool:
        """Whether pieces are still to be placed."""
        return self.position.unplaced[0] + self.position.unplaced[1] > 0

    def result(self) -> int:
        """See `engine.tree.Tree.result`."""
        position = self.position
        if self.is_building():
            return ONGOING
        if not position.men[RED << position.side | CASTLE]:
            return LOST
        return self.draw_result() if position.is_decided() else ONGOING

    def result_without_moves(self) -> int:
        """A draw: neither side has a move (Ruling R16)."""
        return self.draw_result()

    def draw_result(self) -> int:
        """The result of a draw for the side to act; a draw may be decided by points."""
        position = self.position
        ahead = position.score[position.side] - position.score[1 - position.side]
        if not self.by_points or ahead == 0:
            return DRAWN
        return WON if ahead > 0 else LOST

    def list_moves(self, first: int) -> int:
        """See `engine.tree.Tree.list_moves`; the moves are legal."""
        position = self.position
        own = RED << position.side
        if position.unplaced[position.side]:
            return self.list_placements(first)
        last = position.list_moves_to(own, EVERYWHERE, self.moves, first)
        if last == first and not position.is_stuck(own ^ BOTH):
            self.moves[last] = PASS  # Ruling R16
            last += 1
        return last

    def list_placements(self, first: int) -> int:
        """Put all placements into `moves` from `first` on; return where they end."""
        position = self.position
        own = RED << position.side
        spaces = position.placement_spaces()
        last = first
        for kind in range(INFANTRY, CASTLE + 1):
            if position.hand[own | kind]:
                for space in range(SPACES):
                    if spaces >> space & 1:
                        self.moves[last] = kind << 12 | space
                        last += 1
        return last

    def list_noisy_moves(self, first: int) -> int:
        """See `engine.tree.Tree.list_noisy_moves`: the captures."""
        position = self.position
        if position.unplaced[position.side]:
            return first
        enemy = RED << (1 - position.side)
        targets = position.movers(enemy) | position.men[enemy | CASTLE]
        return position.list_moves_to(RED << position.side, targets, self.moves, first)

    def score_move(self, move: int) -> int:
        """See `engine.tree.Tree.score_move`: valuable targets first, by cheap captors.

        Where a draw goes by points, any capture may win for a side that has no captor: by taking
        the last one.
        """
        if move >= PLACEMENTS:
            return 0
        position = self.position
        gain = TAKEN[position.board[move & 63] & KIND]
        if not gain:
            return 0
        if self.by_points and not position.has_captor(RED << position.side):
            gain = TAKEN[CASTLE]
        return gain << GAIN_SHIFT | (8 - (position.board[move >> 6] & KIND))

    def make_move(self, move: int) -> bool:
        """See `engine.tree.Tree.make_move`; all moves are legal."""
        position = self.position
        board = position.board
        ply = self.ply
        target = move & 63
        piece_key = self.piece_keys[ply]
        if move != PASS:
            piece_key ^= HASH[target << 5 | board[target]]
        if move < PLACEMENTS:
            origin = move >> 6
            piece_key ^= HASH[origin << 5 | board[origin]] ^ HASH[origin << 5]
        self.made[ply] = move
        if self.uses_network:
            self.accumulator.push()
            if move != PASS and move >> 12 != CASTLE:
                change_features(position, move, self.accumulator)
        self.captured[ply] = position.push(move)
        if self.uses_network and move >> 12 == CASTLE:
            self.accumulator.clear()
            add_position(position, self.accumulator)
        if move != PASS:
            piece_key ^= HASH[target << 5 | board[target]]
        self.ply = ply + 1
        self.piece_keys[ply + 1] = piece_key
        self.hash_node()
        return True

    def unmake_move(self) -> None:
        """See `engine.tree.Tree.unmake_move`."""
        self.ply -= 1
        self.position.pop(self.made[self.ply], self.captured[self.ply])
        if self.uses_network:
            self.accumulator.pop()
        self.side = self.position.side
        self.key = self.keys[self.ply]

    def in_check(self) -> bool:
        """Whether the Castle of the side to act could be captured next."""
        return self.position.is_castle_attacked(RED << self.position.side)

    def allows_null_move(self) -> bool:
        """Not while the armies are placed: placing later is no loss."""
        return not self.is_building()

    def make_null_move(self) -> None:
        """See `engine.tree.Tree.make_null_move`."""
        self.make_move(PASS)

    def unmake_null_move(self) -> None:
        """See `engine.tree.Tree.unmake_null_move`."""
        self.unmake_move()
