"""A game's tree as the search walks it: the compiled counterpart of `engine.position.Position`.

The search knows no game. Each game's `engine/<game>/tree.py` derives a class from `Tree` that
answers for one of its positions, through C calls where it is compiled. Apart from `evaluate`
everything here is only for the search.

As in the literature on chess programming, the search calls every action a move.
"""

from __future__ import annotations

from random import Random
from typing import Final

from engine.learned.network import Accumulator, Network

# How a game stands for the side to act.
LOST: Final = -1
DRAWN: Final = 0
WON: Final = 1
ONGOING: Final = 2

GAIN_SHIFT: Final = 4
"""How many bits of a move's score stand below its gain."""


def zobrist_numbers(game: str, count: int) -> list[int]:
    """Random numbers below 2 ** 62 for hashing the positions of a game, always the same.

    A hash is the exclusive or of the numbers for what the position has (Zobrist, A New Hashing
    Method with Application for Game Playing, 1970).
    """
    random = Random(f"zobrist {game}")
    return [random.getrandbits(62) for _ in range(count)]


class Tree:
    """A node of the tree below a position, and the way back to it.

    `side` is the side to act and `key` the hash of all that the game's course from here depends
    on; `ply` counts the moves since the root, at most `engine.position.MAX_DEPTH`. `moves` and
    `move_scores` are one stack of moves for the whole line, with room for 1024 at each of its
    nodes; a node's own moves are where its `generate_moves` put them.

    A move's score says how good it looks before it is searched. It is at most 0 for a quiet move.
    For any other it is above 0, and the bits from `GAIN_SHIFT` on are its gain: what it wins if
    nothing answers it, in hundredths of the game's unit.

    `uses_network` is set where the game has a network and is to be evaluated by it; it may be unset
    only at the root. With `by_points` a draw goes to the side with more points, where the game
    knows that.
    """

    def __init__(self) -> None:
        self.side: int = 0
        self.key: int = 0
        self.ply: int = 0
        self.material_only: int = 0
        self.by_points: int = 0
        self.uses_network: int = 0
        self.moves: list[int] = [0] * 65536
        self.move_scores: list[int] = [0] * 65536

    def begin_network(self, network: Network) -> None:
        """Evaluate by a network from here on."""
        self.uses_network = 1
        self.replaces_terms: int = network.replaces_terms
        self.accumulator: Accumulator = Accumulator(network)
        self.add_features()

    def add_features(self) -> None:
        """Add the features of the position to the accumulator, which has none at this node."""
        raise NotImplementedError

    def evaluate_material(self) -> int:
        """The value of the material, as `evaluate` gives it."""
        raise NotImplementedError

    def evaluate_terms(self) -> int:
        """The value by the hand-made terms, of which the material is one."""
        raise NotImplementedError

    def evaluate_network(self) -> int:
        """What the network adds to the material or the terms."""
        return self.accumulator.output(self.side)

    def result(self) -> int:
        """How the game stands for the side to act, as far as that is known without its moves."""
        raise NotImplementedError

    def result_without_moves(self) -> int:
        """How the game has ended where `result` says ONGOING and there is no legal move."""
        raise NotImplementedError

    def list_moves(self, first: int) -> int:
        """Put all moves into `moves` from `first` on, unscored; return where they end.

        Some may turn out illegal when `make_move` is called with them.
        """
        raise NotImplementedError

    def list_noisy_moves(self, first: int) -> int:
        """`list_moves`, where quiet ones may be left out."""
        return self.list_moves(first)

    def score_move(self, move: int) -> int:
        """The score of a move of this node (see the class)."""
        raise NotImplementedError

    def generate_moves(self, first: int) -> int:
        """`list_moves` with their scores in `move_scores`."""
        last = self.list_moves(first)
        for i in range(first, last):
            self.move_scores[i] = self.score_move(self.moves[i])
        return last

    def generate_noisy_moves(self, first: int) -> int:
        """`generate_moves`, but only those that are not quiet."""
        end = self.list_noisy_moves(first)
        last = first
        for i in range(first, end):
            score = self.score_move(self.moves[i])
            if score > 0:
                self.moves[last] = self.moves[i]
                self.move_scores[last] = score
                last += 1
        return last

    def make_move(self, move: int) -> bool:
        """Go to the node after a move; returns False, changing nothing, if it is illegal."""
        raise NotImplementedError

    def unmake_move(self) -> None:
        """Go back to the node before."""
        raise NotImplementedError

    def in_check(self) -> bool:
        """Whether the side to act would lose the game at once if it did nothing."""
        raise NotImplementedError

    def allows_null_move(self) -> bool:
        """Whether doing nothing is likely to be no better than the best move: no zugzwang."""
        raise NotImplementedError

    def make_null_move(self) -> None:
        """Go to the node where the side to act has done nothing."""
        raise NotImplementedError

    def unmake_null_move(self) -> None:
        """Go back to the node before the null move."""
        raise NotImplementedError


def evaluate(tree: Tree) -> int:
    """The static evaluation of a node from the view of the side to act.

    Hundredths of the game's unit; that of the material alone with `material_only`.
    """
    if tree.material_only:
        return tree.evaluate_material()
    if not tree.uses_network:
        return tree.evaluate_terms()
    base = tree.evaluate_material() if tree.replaces_terms else tree.evaluate_terms()
    return base + tree.evaluate_network()


def is_in_check(tree: Tree) -> bool:
    """Whether the side to act would lose the game at once if it did nothing."""
    return tree.in_check()
