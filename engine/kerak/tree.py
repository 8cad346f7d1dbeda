"""Kerak's tree for the search (`engine.tree`); compiled with `tree.pxd`."""

from __future__ import annotations

from typing import Final

from engine import tree
from engine.kerak import action as packing
from engine.kerak import board as geometry
from engine.kerak import pieces as table
from engine.kerak.evaluation import evaluate, material
from engine.kerak.kernel import Position
from engine.tree import Tree

EMPTY: Final = table.EMPTY
RED: Final = table.RED
BOTH: Final = table.RED | table.BLUE
KIND: Final = 7
INFANTRY: Final = int(table.Kind.INFANTRY)
CASTLE: Final = int(table.Kind.CASTLE)
PASS: Final = int(packing.PASS)
PLACEMENTS: Final = 1 << 12
SPACES: Final = geometry.SPACES
EVERYWHERE: Final = geometry.EVERYWHERE
LOST: Final[int] = tree.LOST
WON: Final[int] = tree.WON
DRAWN: Final[int] = tree.DRAWN
ON: Final[int] = tree.ON
GAIN: Final[int] = tree.GAIN

# The gain of a capture by kind; that of the Castle wins the game.
TAKEN: Final = [100 * value for value in table.VALUE] + [0]
TAKEN[CASTLE] = 10_000

# Where the hash has its numbers: pieces by space, then the rest of a position.
SIDE: Final = 2048
UNPLACED: Final = 2049
POINTS: Final = 2113
HASH: Final = tree.zobrist("kerak", 2241)


class KerakTree(Tree):
    """See `engine.tree.Tree`; the position given stays as it is."""

    def __init__(self, position: Position) -> None:
        super().__init__()
        self.position: Position = position.copy()
        # Of each node on the way: the action taken there and what it captured, what stands
        # where, hashed, and the whole hash.
        self.made: list[int] = [0] * 65
        self.captured: list[int] = [0] * 65
        self.places: list[int] = [0] * 65
        self.keys: list[int] = [0] * 65
        for space in range(SPACES):
            self.places[0] ^= HASH[space << 5 | self.position.board[space]]
        self.enter()

    def enter(self) -> None:
        """Hash the node that the position now stands at."""
        position = self.position
        key = self.places[self.ply]
        key ^= HASH[UNPLACED + position.unplaced[0]] ^ HASH[UNPLACED + 32 + position.unplaced[1]]
        key ^= HASH[POINTS + position.score[0]] ^ HASH[POINTS + 64 + position.score[1]]
        if position.side:
            key ^= HASH[SIDE]
        self.side = position.side
        self.key = key
        self.keys[self.ply] = key

    def evaluate(self) -> int:
        """See `engine.tree.Tree.evaluate`."""
        return material(self.position) if self.material_only else evaluate(self.position)

    def is_building(self) -> bool:
        """Whether pieces are still to be placed."""
        return self.position.unplaced[0] + self.position.unplaced[1] > 0

    def ending(self) -> int:
        """See `engine.tree.Tree.ending`."""
        position = self.position
        if self.is_building():
            return ON
        if not position.men[RED << position.side | CASTLE]:
            return LOST
        return self.drawn() if position._decided() else ON

    def stalled(self) -> int:
        """Ruling R16: neither side has a move."""
        return self.drawn()

    def drawn(self) -> int:
        """What a draw is to the side to act."""
        position = self.position
        ahead = position.score[position.side] - position.score[1 - position.side]
        if not self.by_points or ahead == 0:
            return DRAWN
        return WON if ahead > 0 else LOST

    def generate(self, first: int) -> int:
        """See `engine.tree.Tree.generate`."""
        position = self.position
        own = RED << position.side
        if position.unplaced[position.side]:
            return self.generate_placements(first)
        last = position.put_moves(own, EVERYWHERE, self.found, first)
        if last == first and not position.stuck(own ^ BOTH):
            self.found[last] = PASS  # Ruling R16
            last += 1
        self.promise_all(first, last)
        return last

    def generate_noisy(self, first: int) -> int:
        """See `engine.tree.Tree.generate_noisy`."""
        position = self.position
        if position.unplaced[position.side]:
            return first
        enemy = RED << (1 - position.side)
        targets = position.movers(enemy) | position.men[enemy | CASTLE]
        last = position.put_moves(RED << position.side, targets, self.found, first)
        self.promise_all(first, last)
        return last

    def generate_placements(self, first: int) -> int:
        """The placements, the strongest pieces first as they have the most to say."""
        position = self.position
        own = RED << position.side
        places = position._places()
        last = first
        for kind in range(INFANTRY, CASTLE + 1):
            if position.hand[own | kind]:
                for space in range(SPACES):
                    if places >> space & 1:
                        self.found[last] = kind << 12 | space
                        self.promise[last] = 0
                        last += 1
        return last

    def promise_all(self, first: int, last: int) -> None:
        """Promise what moves and captures gain: valuable targets first, by cheap captors.

        Where a draw goes by points, any capture may win for who has no captor: by taking the last.
        """
        position = self.position
        board = position.board
        wins = self.by_points and not position.captor(RED << position.side)
        for i in range(first, last):
            action = self.found[i]
            taken = TAKEN[board[action & 63] & KIND] if action < PLACEMENTS else 0
            self.promise[i] = 0
            if taken:
                if wins:
                    taken = TAKEN[CASTLE]
                self.promise[i] = taken << GAIN | (8 - (board[action >> 6] & KIND))

    def descend(self, action: int) -> bool:
        """See `engine.tree.Tree.descend`; the actions found are legal."""
        position = self.position
        board = position.board
        ply = self.ply
        target = action & 63
        places = self.places[ply]
        if action != PASS:
            places ^= HASH[target << 5 | board[target]]
        if action < PLACEMENTS:
            origin = action >> 6
            places ^= HASH[origin << 5 | board[origin]] ^ HASH[origin << 5]
        self.made[ply] = action
        self.captured[ply] = position._apply(action)
        if action != PASS:
            places ^= HASH[target << 5 | board[target]]
        self.ply = ply + 1
        self.places[ply + 1] = places
        self.enter()
        return True

    def ascend(self) -> None:
        """See `engine.tree.Tree.ascend`."""
        self.ply -= 1
        self.position._revert(self.made[self.ply], self.captured[self.ply])
        self.side = self.position.side
        self.key = self.keys[self.ply]

    def threatened(self) -> bool:
        """Whether the own Castle could be captured."""
        return self.position.castle_attacked(RED << self.position.side)

    def may_pass(self) -> bool:
        """Not while the armies are built: to place last is no loss."""
        return not self.is_building()

    def descend_null(self) -> None:
        """See `engine.tree.Tree.descend_null`."""
        self.descend(PASS)

    def ascend_null(self) -> None:
        """See `engine.tree.Tree.ascend_null`."""
        self.ascend()
