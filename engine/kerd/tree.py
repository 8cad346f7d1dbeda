"""The tree of Kerd and Kerd Draft for the search (`engine.tree`); compiled with `tree.pxd`."""

from __future__ import annotations

from typing import Final

from engine import tree
from engine.kerd import board as tables
from engine.kerd.action import Deed
from engine.kerd.board import COMMANDER, FRESH, KIND, KING, PIECE, WHITE, WITHOUT
from engine.kerd.evaluation import evaluate, material
from engine.kerd.kernel import Position
from engine.kerd.moves import Actions
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
ON: Final[int] = tree.ON
GAIN: Final[int] = tree.GAIN

# What is won with a piece, by kind; the King's capture wins the game.
TAKEN: Final = [0, 100, 150, 250, 300, 400, 450, 550, 1000, 10_000]

# Where the hash has its numbers: pieces by square, then the rest of a position.
FRESHNESS: Final = 8192
CHOICES: Final = 8448
POOL: Final = 8960
RECAPTURE: Final = 9984
RIGHTS: Final = 10240
CHECKED: Final = 10256
SIDE: Final = 10257
HASH: Final = tree.zobrist("kerd", 10258)


class KerdTree(Tree):
    """See `engine.tree.Tree`; the position given stays as it is."""

    def __init__(self, position: Position) -> None:
        super().__init__()
        self.position: Position = position.copy()
        self.actions: Actions = Actions()
        # Of each node on the way: what stands where and in the pool, hashed, the whole hash,
        # whether the King is attacked, and what null moves set aside.
        self.places: list[int] = [0] * 65
        self.keys: list[int] = [0] * 65
        self.checks: list[int] = [0] * 65
        self.recaptures: list[int] = [0] * 65
        self.alarms: list[int] = [0] * 65
        for at in SQUARES:
            self.places[0] ^= self.hashed(at)
        for piece in range(64):
            self.places[0] ^= self.pooled(piece)
        self.enter()

    def hashed(self, at: int) -> int:
        """The number of a square and what stands there."""
        piece = self.position.board[at]
        key = HASH[at << 5 | (piece & KIND) | (piece & 32) >> 1]
        return key ^ HASH[FRESHNESS + at] if piece & FRESH else key

    def pooled(self, piece: int) -> int:
        """The number of a kind of removed pieces; those that cannot come back do not matter."""
        if self.position.promotion:
            return HASH[POOL + (piece << 4 | (self.position.pool[piece] & 15))]
        return 0

    def enter(self) -> None:
        """Hash the node that the position now stands at."""
        position = self.position
        ply = self.ply
        self.checks[ply] = position.in_check(position.side)
        key = self.places[ply] ^ HASH[RECAPTURE + position.recapture]
        key ^= HASH[RIGHTS + position.rights]
        key ^= HASH[CHOICES + position.choices[0]] ^ HASH[CHOICES + 256 + position.choices[1]]
        if position.alarm == 1 or (position.alarm == 2 and self.checks[ply]):
            key ^= HASH[CHECKED]
        if position.side:
            key ^= HASH[SIDE]
        self.side = position.side
        self.key = key
        self.keys[ply] = key

    def evaluate(self) -> int:
        """See `engine.tree.Tree.evaluate`."""
        return material(self.position) if self.material_only else evaluate(self.position)

    def ending(self) -> int:
        """See `engine.tree.Tree.ending`: only a captured King is seen without a look at actions."""
        return LOST if self.position.kings[self.side] == 0 else ON

    def stalled(self) -> int:
        """Mate or stalemate (Ruling R31)."""
        if self.checks[self.ply] and not self.position.king_is_captured:
            return LOST
        return DRAWN

    def generate(self, first: int) -> int:
        """See `engine.tree.Tree.generate`."""
        actions = self.actions
        self.position.fill(actions)
        for i in range(actions.count):
            self.found[first + i] = actions.found[i]
            self.promise[first + i] = self.promised(actions.found[i])
        return first + actions.count

    def generate_noisy(self, first: int) -> int:
        """See `engine.tree.Tree.generate_noisy`."""
        actions = self.actions
        self.position.fill(actions)
        last = first
        for i in range(actions.count):
            promise = self.promised(actions.found[i])
            if promise > 0:
                self.found[last] = actions.found[i]
                self.promise[last] = promise
                last += 1
        return last

    def promised(self, action: int) -> int:
        """The promise of an action: captures, promotions and reveals win material."""
        board = self.position.board
        deed = action >> 24
        target = board[(action >> 8) & 255] & KIND
        if deed == EXECUTE:
            return -TAKEN[target]
        if deed == REVEAL:
            # An unknown choice makes reveals of anything possible: they are not counted upon.
            known = self.position.choices[self.side] > WITHOUT
            return 2 * TAKEN[target] << GAIN if known else 0
        back = (action >> 16) & 15
        gain = TAKEN[back] - TAKEN[1] if back else 0
        if not (action >> 20) & 15:
            gain += TAKEN[target]
        if gain <= 0:
            return 0
        return gain << GAIN | (10 - (board[action & 255] & KIND))

    def touched(self, action: int) -> int:
        """What stands on the squares that an action touches, and its pieces in the pool, hashed."""
        origin = action & 255
        target = (action >> 8) & 255
        deed = action >> 24
        key = self.hashed(target)
        if origin != target:
            key ^= self.hashed(origin)
        partner = (action >> 20) & 15
        if partner:
            beside = origin + AROUND[partner - 1]
            end = beside + target - origin
            if beside != target:
                key ^= self.hashed(beside)
            if end != origin:
                key ^= self.hashed(end)
        if deed == CASTLE:
            for n in range(4):
                if KING_CASTLED[n] == target:
                    key ^= self.hashed(TOWER_HOME[n]) ^ self.hashed(TOWER_CASTLED[n])
        return key

    def descend(self, action: int) -> bool:
        """See `engine.tree.Tree.descend`."""
        position = self.position
        ply = self.ply
        side = position.side
        target = (action >> 8) & 255
        back = (action >> 16) & 15
        # The pieces that may enter or leave the pool; there is no piece 0 in it.
        taken = 0
        if action >> 24 != REVEAL and not (action >> 20) & 15:
            taken = position.board[target] & PIECE
        brought = WHITE << side | back if back else 0
        exposed = not position.king_is_captured and (
            self.checks[ply] != 0 or position.uncovers(action)
        )
        places = self.places[ply] ^ self.touched(action)
        places ^= self.pooled(taken) ^ self.pooled(brought)
        if position.alarm == 2:
            position.alarm = self.checks[ply]  # what it would look for
        position.push(action)
        if exposed and position.in_check(side):
            position.pop()
            return False
        self.ply = ply + 1
        self.places[ply + 1] = (
            places ^ self.touched(action) ^ self.pooled(taken) ^ self.pooled(brought)
        )
        self.enter()
        return True

    def ascend(self) -> None:
        """See `engine.tree.Tree.ascend`."""
        self.position.pop()
        self.ply -= 1
        self.side = self.position.side
        self.key = self.keys[self.ply]

    def threatened(self) -> bool:
        """Whether the own King is attacked."""
        return self.checks[self.ply] != 0

    def may_pass(self) -> bool:
        """Whether the side to act has a piece besides Pawns and King: others seldom must move."""
        board = self.position.board
        own = WHITE << self.side
        for at in SQUARES:
            piece = board[at]
            if piece & own and COMMANDER < piece & KIND < KING:
                return True
        return False

    def descend_null(self) -> None:
        """See `engine.tree.Tree.descend_null`."""
        position = self.position
        ply = self.ply
        self.recaptures[ply] = position.recapture
        self.alarms[ply] = position.alarm
        if position.alarm == 2:
            position.alarm = 1 if self.checks[ply] else 2
        position.recapture = 0
        position.side = 1 - position.side
        self.ply = ply + 1
        self.places[ply + 1] = self.places[ply]
        self.enter()

    def ascend_null(self) -> None:
        """See `engine.tree.Tree.ascend_null`."""
        position = self.position
        self.ply -= 1
        position.side = 1 - position.side
        position.recapture = self.recaptures[self.ply]
        position.alarm = self.alarms[self.ply]
        self.side = position.side
        self.key = self.keys[self.ply]
