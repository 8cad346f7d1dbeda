"""A game's tree as the search walks it: the compiled counterpart of `engine.position.Position`.

The search knows no game. Each game's `engine/<game>/tree.py` derives a class from `Tree` that
answers for one of its positions, through C calls where it is compiled. Apart from `evaluate`
nothing here is for others than the search.
"""

from __future__ import annotations

from random import Random
from typing import Final

# What an ending is to the side to act.
LOST: Final = -1
DRAWN: Final = 0
WON: Final = 1
ON: Final = 2

GAIN: Final = 4
"""How many bits of an action's promise stand below its gain."""


def zobrist(game: str, count: int) -> list[int]:
    """Random numbers below 2 ** 62 to hash the positions of a game with, always the same.

    A hash is the exclusive or of those that stand for what the position has (Zobrist, A New
    Hashing Method with Application for Game Playing, 1970).
    """
    random = Random(f"zobrist {game}")
    return [random.getrandbits(62) for _ in range(count)]


class Tree:
    """A node of the tree below a position, and the way back to it.

    `side` is the side to act and `key` the hash of all that the game's course from here depends
    on; `ply` counts the actions since the root, at most `engine.position.MAX_DEPTH`. `found` and
    `promise` are one stack of actions for the whole line, with room for 1024 at each of its nodes;
    a node's own lie where its `generate` put them.

    A promise says how good an action looks: above 0 for one that is not quiet, and then its gain
    (hundredths of the game's unit, what it wins if nothing answers it) in the bits from `GAIN` on;
    at most 0 for a quiet one.

    With `by_points` a draw goes to the side with more points, where the game knows that.
    """

    def __init__(self) -> None:
        self.side: int = 0
        self.key: int = 0
        self.ply: int = 0
        self.material_only: int = 0
        self.by_points: int = 0
        self.found: list[int] = [0] * 65536
        self.promise: list[int] = [0] * 65536

    def evaluate(self) -> int:
        """The static evaluation from the view of the side to act.

        Hundredths of the game's unit; that of the material alone with `material_only`.
        """
        raise NotImplementedError

    def ending(self) -> int:
        """How the game has ended here for the side to act, so far as needs no look at actions."""
        raise NotImplementedError

    def stalled(self) -> int:
        """How it has ended where `ending` says ON and no legal action was found."""
        raise NotImplementedError

    def generate(self, first: int) -> int:
        """Put all actions on the stack from `first` on; return where they end.

        Some may turn out illegal when `descend` is asked for them.
        """
        raise NotImplementedError

    def generate_noisy(self, first: int) -> int:
        """`generate`, but only what is not quiet."""
        raise NotImplementedError

    def descend(self, action: int) -> bool:
        """Go to the node behind an action that `generate` found; False if it is illegal."""
        raise NotImplementedError

    def ascend(self) -> None:
        """Go back to the node before."""
        raise NotImplementedError

    def threatened(self) -> bool:
        """Whether the side to act would lose the game at once, did it not act: a check."""
        raise NotImplementedError

    def may_pass(self) -> bool:
        """Whether doing nothing is likely no better than the best action (null move)."""
        raise NotImplementedError

    def descend_null(self) -> None:
        """Go to the node where the side to act has done nothing; `ascend_null` comes back."""
        raise NotImplementedError

    def ascend_null(self) -> None:
        """Go back to the node before the null move."""
        raise NotImplementedError
