"""Katruji's tree for the search (`engine.tree`); compiled with `tree.pxd`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from engine import tree
from engine.katruji import board as packing
from engine.katruji import features
from engine.katruji.evaluation import evaluate, material
from engine.katruji.features import add_pieces, add_state, exchange_piece
from engine.katruji.kernel import ActionList, Position
from engine.learned.files import read_network
from engine.tree import Tree

EMPTY: Final[int] = packing.EMPTY
KYAN: Final[int] = packing.KYAN
ALKA: Final[int] = packing.ALKA
NOBODY: Final[int] = packing.NOBODY
QUIET: Final[int] = packing.QUIET
TIMER: Final[int] = packing.TIMER
YARA_POINTS: Final[int] = packing.YARA_POINTS
LOST: Final[int] = tree.LOST
WON: Final[int] = tree.WON
ONGOING: Final[int] = tree.ONGOING
GAIN_SHIFT: Final[int] = tree.GAIN_SHIFT
NETWORK: Final = read_network(
    Path(__file__).parent, features.LAYOUT, features.FEATURES, features.MOST
)
DECISIVE: Final = 10_000  # the gain of what wins the game
COUNT_SHIFT: Final = 8
COUNT_MASK: Final = 255

# Where the hash has its numbers: pieces by square, then the rest of a position.
SIDE: Final = 256
ORIGINS: Final = 257
TARGETS: Final = 321
POINTS: Final = 385
CLOCK: Final = 449
DECLARER: Final = 457
HASH: Final = tree.zobrist_numbers("katruji", 460)


class KatrujiTree(Tree):
    """See `engine.tree.Tree`; the position given stays as it is."""

    def __init__(self, position: Position) -> None:
        super().__init__()
        self.position: Position = position.copy()
        self.actions: ActionList = ActionList()
        self.side = position.side
        # By ply: the hash of what stands where, the whole hash, the ban that a null move lifted,
        # and the numbers of pieces in the hajats, the second side's from bit COUNT_SHIFT on.
        self.piece_keys: list[int] = [0] * 65
        self.keys: list[int] = [0] * 65
        self.crossings: list[int] = [0] * 65
        self.counts: list[int] = [0] * 65
        for square in range(64):
            piece = self.position.board[square]
            self.piece_keys[0] ^= HASH[square << 2 | piece]
            if piece != EMPTY:
                self.counts[0] += 1 << COUNT_SHIFT * (square >> 5)
        self.hash_node()
        if NETWORK is not None:
            self.begin_network(NETWORK)

    def hash_node(self) -> None:
        """Set the side and the hash of the node that the position is now at."""
        position = self.position
        declarer = position.declarer
        bound = QUIET if declarer == NOBODY else TIMER  # further on the clock changes nothing
        crossing = position.crossing
        key = self.piece_keys[self.ply] ^ HASH[CLOCK + min(position.clock, bound)]
        key ^= HASH[DECLARER + declarer + 1]
        key ^= HASH[POINTS + position.score[0]] ^ HASH[POINTS + 32 + position.score[1]]
        if crossing:
            key ^= HASH[ORIGINS + (crossing >> 6)] ^ HASH[TARGETS + (crossing & 63)]
        if position.side:
            key ^= HASH[SIDE]
        self.side = position.side
        self.key = key
        self.keys[self.ply] = key

    def add_features(self) -> None:
        """See `engine.tree.Tree.add_features`."""
        add_pieces(self.position, self.accumulator)

    def evaluate_material(self) -> int:
        """See `engine.tree.Tree.evaluate_material`."""
        return material(self.position)

    def evaluate_terms(self) -> int:
        """See `engine.tree.Tree.evaluate_terms`."""
        return evaluate(self.position)

    def evaluate_network(self) -> int:
        """See `engine.tree.Tree.evaluate_network`; the state's features are added for it alone."""
        accumulator = self.accumulator
        accumulator.push()
        add_state(self.position, accumulator)
        score = accumulator.output(self.side)
        accumulator.pop()
        return score

    def result(self) -> int:
        """See `engine.tree.Tree.result`."""
        winner = self.position.winner()
        if winner == NOBODY:
            return ONGOING
        return WON if winner == self.side else LOST

    def result_without_moves(self) -> int:
        """Never called: a side to move that has a piece has a move (Ruling R3)."""
        return LOST

    def list_moves(self, first: int) -> int:
        """See `engine.tree.Tree.list_moves`; the moves are legal."""
        actions = self.actions
        self.position.list_actions(actions)
        for i in range(actions.count):
            self.moves[first + i] = actions.items[i]
        return first + actions.count

    def score_move(self, move: int) -> int:
        """See `engine.tree.Tree.score_move`; a quiet crossing gives a piece away.

        That of the last piece in a hajat ends the game (Yemubus).
        """
        position = self.position
        side = self.side
        if move == ALKA:
            lead = position.score[side] - position.score[1 - side]
            if lead > 0 or (lead == 0 and position.declarer == side):
                return DECISIVE << GAIN_SHIFT
            return -4
        if move == KYAN:
            return 0
        piece = position.board[move >> 6]
        target = move & 63
        if target >> 5 == side:
            return 0
        stands = position.board[target]
        last = (self.counts[self.ply] >> COUNT_SHIFT * side & COUNT_MASK) == 1
        if last and position.score[side] + stands >= position.score[1 - side]:
            return DECISIVE << GAIN_SHIFT
        if stands == EMPTY:
            return -piece
        gain = 100 * stands
        if position.score[side] + stands >= YARA_POINTS:
            gain += DECISIVE
        return gain << GAIN_SHIFT | (8 - piece)

    def make_move(self, move: int) -> bool:
        """See `engine.tree.Tree.make_move`; all moves are legal."""
        position = self.position
        board = position.board
        piece_key = self.piece_keys[self.ply]
        counts = self.counts[self.ply]
        origin = move >> 6
        target = move & 63
        if self.uses_network:
            self.accumulator.push()
        if move < KYAN:
            piece = board[origin]
            stood = board[target]
            counts -= 1 << COUNT_SHIFT * (origin >> 5)
            if stood == EMPTY:
                counts += 1 << COUNT_SHIFT * (target >> 5)
            piece_key ^= HASH[origin << 2 | piece] ^ HASH[target << 2 | stood]
            position.push(move)
            piece_key ^= HASH[origin << 2] ^ HASH[target << 2 | board[target]]
            if self.uses_network:
                exchange_piece(self.accumulator, origin, piece, EMPTY)
                exchange_piece(self.accumulator, target, stood, board[target])
        else:
            position.push(move)
        self.ply += 1
        self.piece_keys[self.ply] = piece_key
        self.counts[self.ply] = counts
        self.hash_node()
        return True

    def unmake_move(self) -> None:
        """See `engine.tree.Tree.unmake_move`."""
        self.position.pop()
        if self.uses_network:
            self.accumulator.pop()
        self.ply -= 1
        self.side = self.position.side
        self.key = self.keys[self.ply]

    def in_check(self) -> bool:
        """False: nothing in Katruji is a check."""
        return False

    def allows_null_move(self) -> bool:
        """Not while the timer runs: then one move fewer changes who may claim."""
        return self.position.declarer == NOBODY

    def make_null_move(self) -> None:
        """See `engine.tree.Tree.make_null_move`; the clock stands still."""
        position = self.position
        self.crossings[self.ply] = position.crossing
        position.crossing = 0
        position.side = 1 - position.side
        self.ply += 1
        self.piece_keys[self.ply] = self.piece_keys[self.ply - 1]
        self.counts[self.ply] = self.counts[self.ply - 1]
        self.hash_node()

    def unmake_null_move(self) -> None:
        """See `engine.tree.Tree.unmake_null_move`."""
        position = self.position
        self.ply -= 1
        position.crossing = self.crossings[self.ply]
        position.side = 1 - position.side
        self.side = position.side
        self.key = self.keys[self.ply]
