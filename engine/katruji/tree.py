"""Katruji's tree for the search (`engine.tree`); compiled with `tree.pxd`."""

from __future__ import annotations

from typing import Final

from engine import tree
from engine.katruji import board as packing
from engine.katruji.evaluation import evaluate, material
from engine.katruji.kernel import Actions, Position
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
ON: Final[int] = tree.ON
GAIN: Final[int] = tree.GAIN
DECISIVE: Final = 10_000  # the gain of what wins the game

# Where the hash has its numbers: pieces by square, then the rest of a position.
SIDE: Final = 256
ORIGINS: Final = 257
TARGETS: Final = 321
POINTS: Final = 385
CLOCK: Final = 449
DECLARER: Final = 457
HASH: Final = tree.zobrist("katruji", 460)


class KatrujiTree(Tree):
    """See `engine.tree.Tree`; the position given stays as it is."""

    def __init__(self, position: Position) -> None:
        super().__init__()
        self.position: Position = position.copy()
        self.actions: Actions = Actions()
        self.side = position.side
        # Of each node on the way: what stands where, hashed, and the whole hash; and of null moves
        # the ban that they lifted.
        self.places: list[int] = [0] * 65
        self.keys: list[int] = [0] * 65
        self.crossings: list[int] = [0] * 65
        for square in range(64):
            self.places[0] ^= HASH[square << 2 | self.position.board[square]]
        self.enter()

    def enter(self) -> None:
        """Hash the node that the position now stands at."""
        position = self.position
        declarer = position.declarer
        bound = QUIET if declarer == NOBODY else TIMER  # further on the clock changes nothing
        crossing = position.crossing
        key = self.places[self.ply] ^ HASH[CLOCK + min(position.clock, bound)]
        key ^= HASH[DECLARER + declarer + 1]
        key ^= HASH[POINTS + position.score[0]] ^ HASH[POINTS + 32 + position.score[1]]
        if crossing:
            key ^= HASH[ORIGINS + (crossing >> 6)] ^ HASH[TARGETS + (crossing & 63)]
        if position.side:
            key ^= HASH[SIDE]
        self.side = position.side
        self.key = key
        self.keys[self.ply] = key

    def evaluate(self) -> int:
        """See `engine.tree.Tree.evaluate`."""
        return material(self.position) if self.material_only else evaluate(self.position)

    def ending(self) -> int:
        """See `engine.tree.Tree.ending`."""
        winner = self.position.winner()
        if winner == NOBODY:
            return ON
        return WON if winner == self.side else LOST

    def stalled(self) -> int:
        """Ruling R3: a side to move that has a piece always has a move."""
        return LOST

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
        """The promise of a legal action; a quiet crossing gives a piece away."""
        position = self.position
        side = self.side
        if action == ALKA:
            lead = position.score[side] - position.score[1 - side]
            if lead > 0 or (lead == 0 and position.declarer == side):
                return DECISIVE << GAIN
            return -4
        if action == KYAN:
            return 0
        piece = position.board[action >> 6]
        target = action & 63
        if target >> 5 == side:
            return 0
        stands = position.board[target]
        if stands == EMPTY:
            return -piece
        gain = 100 * stands
        if position.score[side] + stands >= YARA_POINTS:
            gain += DECISIVE
        return gain << GAIN | (8 - piece)

    def descend(self, action: int) -> bool:
        """See `engine.tree.Tree.descend`; the actions found are legal."""
        position = self.position
        board = position.board
        places = self.places[self.ply]
        origin = action >> 6
        target = action & 63
        if action < KYAN:
            places ^= HASH[origin << 2 | board[origin]] ^ HASH[target << 2 | board[target]]
            position.push(action)
            places ^= HASH[origin << 2] ^ HASH[target << 2 | board[target]]
        else:
            position.push(action)
        self.ply += 1
        self.places[self.ply] = places
        self.enter()
        return True

    def ascend(self) -> None:
        """See `engine.tree.Tree.ascend`."""
        self.position.pop()
        self.ply -= 1
        self.side = self.position.side
        self.key = self.keys[self.ply]

    def threatened(self) -> bool:
        """Nothing in Katruji is a check."""
        return False

    def may_pass(self) -> bool:
        """Not while the timer runs: then a move less changes who may claim."""
        return self.position.declarer == NOBODY

    def descend_null(self) -> None:
        """See `engine.tree.Tree.descend_null`; the clock stands still."""
        position = self.position
        self.crossings[self.ply] = position.crossing
        position.crossing = 0
        position.side = 1 - position.side
        self.ply += 1
        self.places[self.ply] = self.places[self.ply - 1]
        self.enter()

    def ascend_null(self) -> None:
        """See `engine.tree.Tree.ascend_null`."""
        position = self.position
        self.ply -= 1
        position.crossing = self.crossings[self.ply]
        position.side = 1 - position.side
        self.side = position.side
        self.key = self.keys[self.ply]
