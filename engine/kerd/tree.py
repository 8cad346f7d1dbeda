"""The tree of Kerd and Kerd Draft for the search (`engine.tree`); compiled with `tree.pxd`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from engine import tree
from engine.kerd import board as tables
from engine.kerd import layout
from engine.kerd.action import Deed
from engine.kerd.attacks import in_check
from engine.kerd.board import COMMANDER, FRESH, KIND, KING, PAWN, PIECE, WHITE, WITHOUT
from engine.kerd.evaluation import evaluate, material
from engine.kerd.features import add_piece, add_position, remove_piece
from engine.kerd.generation import list_actions
from engine.kerd.kernel import Position
from engine.kerd.legality import may_uncover_king
from engine.kerd.making import pop, push
from engine.kerd.moves import ActionList
from engine.kerd.state import State
from engine.learned.files import read_network
from engine.tree import Tree

AROUND: Final = list(tables.AROUND)
SQUARES: Final = list(tables.SQUARES)
TOWER_HOME: Final = list(tables.TOWER_HOME)
TOWER_CASTLED: Final = list(tables.TOWER_CASTLED)
KING_CASTLED: Final = list(tables.KING_CASTLED)
CASTLE: Final = int(Deed.CASTLE)
REVEAL: Final = int(Deed.REVEAL)
EXECUTE: Final = int(Deed.EXECUTE)
LOST: Final[int] = tree.LOST
DRAWN: Final[int] = tree.DRAWN
ONGOING: Final[int] = tree.ONGOING
GAIN_SHIFT: Final[int] = tree.GAIN_SHIFT
NETWORK: Final = read_network(Path(__file__).parent, layout.LAYOUT, layout.FEATURES, layout.MOST)

# The gain of capturing a piece, by kind; the King's capture wins the game.
TAKEN: Final = [0, 100, 150, 250, 300, 400, 450, 550, 1000, 10_000]

# Where the hash has its numbers: pieces by square, then the rest of a position.
FRESHNESS: Final = 8192
CHOICES: Final = 8448
POOL: Final = 8960
RECAPTURE: Final = 9984
RIGHTS: Final = 10240
CHECKED: Final = 10256
SIDE: Final = 10257
HASH: Final = tree.zobrist_numbers("kerd", 10258)


class KerdTree(Tree):
    """See `engine.tree.Tree`; the position given stays as it is."""

    def __init__(self, position: Position) -> None:
        super().__init__()
        self.position: Position = position.copy()
        self.state: State = self.position.state
        self.actions: ActionList = ActionList()
        # By ply: the hash of the pieces on the board and in the pool, the whole hash, whether the
        # King is attacked, and what a null move sets aside.
        self.piece_keys: list[int] = [0] * 65
        self.keys: list[int] = [0] * 65
        self.checks: list[int] = [0] * 65
        self.recaptures: list[int] = [0] * 65
        self.checked: list[int] = [0] * 65
        # The squares that a move changes, and what stood there before it.
        self.touched: list[int] = [0] * 8
        self.stood: list[int] = [0] * 8
        for at in SQUARES:
            self.piece_keys[0] ^= self.square_key(at)
        for piece in range(64):
            self.piece_keys[0] ^= self.pool_key(piece)
        self.hash_node()
        if NETWORK is not None and self.state.promotion:
            self.begin_network(NETWORK)

    def square_key(self, at: int) -> int:
        """The number of a square and what stands there."""
        piece = self.state.board[at]
        key = HASH[at << 5 | (piece & KIND) | (piece & 32) >> 1]
        return key ^ HASH[FRESHNESS + at] if piece & FRESH else key

    def pool_key(self, piece: int) -> int:
        """The number of a kind of removed pieces; Pawns do not come back (Ruling R23)."""
        if self.state.promotion and piece & KIND > PAWN:
            return HASH[POOL + (piece << 4 | (self.state.pool[piece] & 15))]
        return 0

    def hash_node(self) -> None:
        """Set the side and the hash of the node that the position is now at."""
        state = self.state
        ply = self.ply
        self.checks[ply] = in_check(state, state.side)
        key = self.piece_keys[ply] ^ HASH[RECAPTURE + state.recapture]
        key ^= HASH[RIGHTS + state.rights]
        key ^= HASH[CHOICES + state.choices[0]] ^ HASH[CHOICES + 256 + state.choices[1]]
        if state.checked == 1 or (state.checked == 2 and self.checks[ply]):
            key ^= HASH[CHECKED]
        if state.side:
            key ^= HASH[SIDE]
        self.side = state.side
        self.key = key
        self.keys[ply] = key

    def add_features(self) -> None:
        """See `engine.tree.Tree.add_features`."""
        add_position(self.state, self.accumulator)

    def evaluate_material(self) -> int:
        """See `engine.tree.Tree.evaluate_material`."""
        return material(self.state)

    def evaluate_terms(self) -> int:
        """See `engine.tree.Tree.evaluate_terms`."""
        return evaluate(self.state)

    def result(self) -> int:
        """See `engine.tree.Tree.result`: only a captured King is seen without listing moves."""
        return LOST if self.state.kings[self.side] == 0 else ONGOING

    def result_without_moves(self) -> int:
        """Mate or stalemate (Ruling R31)."""
        if self.checks[self.ply] and not self.state.king_is_captured:
            return LOST
        return DRAWN

    def list_moves(self, first: int) -> int:
        """See `engine.tree.Tree.list_moves`."""
        self.actions.noisy_only = 0
        return self.list_kept_moves(first)

    def list_noisy_moves(self, first: int) -> int:
        """See `engine.tree.Tree.list_noisy_moves`."""
        self.actions.noisy_only = 1
        return self.list_kept_moves(first)

    def list_kept_moves(self, first: int) -> int:
        """Put the moves that `actions` keeps into `moves` from `first` on; return their end."""
        actions = self.actions
        list_actions(self.state, actions)
        for i in range(actions.count):
            self.moves[first + i] = actions.items[i]
        return first + actions.count

    def score_move(self, move: int) -> int:
        """See `engine.tree.Tree.score_move`: captures, promotions and reveals win material."""
        board = self.state.board
        deed = move >> 24
        target = board[(move >> 8) & 255] & KIND
        if deed == EXECUTE:
            return -TAKEN[target]
        if deed == REVEAL:
            # An unknown choice makes a reveal of any piece possible: these gain nothing here.
            known = self.state.choices[self.side] > WITHOUT
            return 2 * TAKEN[target] << GAIN_SHIFT if known else 0
        back = (move >> 16) & 15
        gain = TAKEN[back] - TAKEN[1] if back else 0
        if not (move >> 20) & 15:
            gain += TAKEN[target]
        if gain <= 0:
            return 0
        return gain << GAIN_SHIFT | (10 - (board[move & 255] & KIND))

    def list_touched(self, move: int) -> int:
        """Put the squares that a move changes into `touched`, each once; return their number."""
        touched = self.touched
        origin = move & 255
        target = (move >> 8) & 255
        touched[0] = target
        count = 1
        if origin != target:
            touched[1] = origin
            count = 2
        partner = (move >> 20) & 15
        if partner:
            beside = origin + AROUND[partner - 1]
            end = beside + target - origin
            if beside != target:
                touched[count] = beside
                count += 1
            if end != origin:
                touched[count] = end
                count += 1
        if move >> 24 == CASTLE:
            for n in range(4):
                if KING_CASTLED[n] == target:
                    touched[count] = TOWER_HOME[n]
                    touched[count + 1] = TOWER_CASTLED[n]
                    count += 2
        return count

    def touched_key(self, count: int) -> int:
        """The hash of what stands on the first `count` touched squares."""
        key = 0
        for i in range(count):
            key ^= self.square_key(self.touched[i])
        return key

    def change_features(self, count: int) -> None:
        """Go to a new node, and apply what has changed on the first `count` touched squares."""
        self.accumulator.push()
        for i in range(count):
            at = self.touched[i]
            remove_piece(self.accumulator, self.stood[i], at)
            add_piece(self.accumulator, self.state.board[at], at)

    def make_move(self, move: int) -> bool:
        """See `engine.tree.Tree.make_move`."""
        state = self.state
        ply = self.ply
        side = state.side
        target = (move >> 8) & 255
        back = (move >> 16) & 15
        # The pieces that may enter or leave the pool; there is no piece 0 in it.
        taken = 0
        if move >> 24 != REVEAL and not (move >> 20) & 15:
            taken = state.board[target] & PIECE
        brought = WHITE << side | back if back else 0
        exposing = not state.king_is_captured and (
            self.checks[ply] != 0 or may_uncover_king(state, move)
        )
        touched = self.list_touched(move)
        for i in range(touched):
            self.stood[i] = state.board[self.touched[i]]
        piece_key = self.piece_keys[ply] ^ self.touched_key(touched)
        piece_key ^= self.pool_key(taken) ^ self.pool_key(brought)
        if state.checked == 2:
            state.checked = self.checks[ply]  # what it would look for
        push(state, move)
        if exposing and in_check(state, side):
            pop(state)
            return False
        self.ply = ply + 1
        self.piece_keys[ply + 1] = (
            piece_key ^ self.touched_key(touched) ^ self.pool_key(taken) ^ self.pool_key(brought)
        )
        if self.uses_network:
            self.change_features(touched)
        self.hash_node()
        return True

    def unmake_move(self) -> None:
        """See `engine.tree.Tree.unmake_move`."""
        pop(self.state)
        if self.uses_network:
            self.accumulator.pop()
        self.ply -= 1
        self.side = self.state.side
        self.key = self.keys[self.ply]

    def in_check(self) -> bool:
        """Whether the King of the side to act is attacked."""
        return self.checks[self.ply] != 0

    def allows_null_move(self) -> bool:
        """Whether the side to move has more than Pawns, Commanders and King: no zugzwang then."""
        board = self.state.board
        own = WHITE << self.side
        for at in SQUARES:
            piece = board[at]
            if piece & own and COMMANDER < piece & KIND < KING:
                return True
        return False

    def make_null_move(self) -> None:
        """See `engine.tree.Tree.make_null_move`."""
        state = self.state
        ply = self.ply
        self.recaptures[ply] = state.recapture
        self.checked[ply] = state.checked
        if state.checked == 2:
            state.checked = 1 if self.checks[ply] else 2
        state.recapture = 0
        state.side = 1 - state.side
        self.ply = ply + 1
        self.piece_keys[ply + 1] = self.piece_keys[ply]
        self.hash_node()

    def unmake_null_move(self) -> None:
        """See `engine.tree.Tree.unmake_null_move`."""
        state = self.state
        self.ply -= 1
        state.side = 1 - state.side
        state.recapture = self.recaptures[self.ply]
        state.checked = self.checked[self.ply]
        self.side = state.side
        self.key = self.keys[self.ply]
