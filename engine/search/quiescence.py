"""The search beyond the depth; compiled with `quiescence.pxd`.

A position in the middle of an exchange says nothing by its evaluation. Here only what is not
quiet is tried, until nothing is left hanging, and a side may always be content as it stands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine import tree as trees
from engine.position import MAX_DEPTH as DEEPEST
from engine.search import score as scores
from engine.search.ordering import Ordering
from engine.search.techniques import Techniques
from engine.tree import Tree

MAX_DEPTH: Final[int] = DEEPEST
WIN: Final[int] = scores.WIN
DECIDED: Final[int] = scores.DECIDED
INFINITE: Final = 32_001  # beyond every score
ON: Final[int] = trees.ON
GAIN: Final[int] = trees.GAIN

EVASIONS: Final = 4  # so far into quiescence a threat is answered with every action
UNFORESEEN: Final = 100  # by how much an evaluation may be wrong of what a capture gains


class Quiescence(Ordering):
    """What the leaves of one tree are worth; `nodes` counts those entered, `deepest` is the
    greatest ply.

    After `pause` nodes `poll` is called with their number; it returns after how many to call it
    next, or raises what ends the search. The tree is then left where it stands.
    """

    def __init__(self, tree: Tree, techniques: Techniques, poll: Callable[[int], int]) -> None:
        super().__init__(tree, techniques)
        self.poll = poll
        self.nodes: int = 0
        self.pause: int = 0
        self.deepest: int = 0
        tree.material_only = int(not techniques.evaluation)
        self.quiescence: int = int(techniques.quiescence)
        self.delta: int = int(techniques.delta)
        # Where each node's actions begin, and its principal variation with its length.
        self.first: list[int] = [0] * 66
        self.line: list[int] = [0] * 4290
        self.length: list[int] = [0] * 66

    def visit(self) -> None:
        """Count a node."""
        if self.tree.ply > self.deepest:
            self.deepest = self.tree.ply
        if self.nodes >= self.pause:
            self.pause = self.poll(self.nodes)
        self.nodes += 1

    def static(self) -> int:
        """The static evaluation, which never looks like a decided score."""
        return max(1 - DECIDED, min(DECIDED - 1, self.tree.evaluate()))

    def lead(self, ply: int, action: int) -> None:
        """Make the principal variation of a node the action and what follows on it."""
        line = self.line
        at = ply * 66
        below = at + 66
        count = self.length[ply + 1]
        line[at] = action
        for i in range(count):
            line[at + 1 + i] = line[below + i]
        self.length[ply] = count + 1

    def leaf(self, alpha: int, beta: int) -> int:
        """The score of a node that is not to be searched."""
        if self.quiescence:
            return self.quiesce(alpha, beta, 0)
        self.visit()
        tree = self.tree
        ply = tree.ply
        if ply == MAX_DEPTH:
            return self.static()
        first = self.first[ply]
        for i in range(first, tree.generate(first)):
            if tree.descend(tree.found[i]):
                tree.ascend()
                return self.static()
        return tree.stalled() * (WIN - ply)

    def quiesce(self, alpha: int, beta: int, beyond: int) -> int:
        """`bound`, but only what is not quiet is tried, and a side may be content as it stands."""
        tree = self.tree
        ply = tree.ply
        self.length[ply] = 0
        self.visit()
        ending = tree.ending()
        if ending != ON:
            return ending * (WIN - ply)
        if ply == MAX_DEPTH:
            return self.static()
        first = self.first[ply]
        if tree.threatened() and beyond < EVASIONS:
            return self.resolve(alpha, beta, beyond, -INFINITE, tree.generate(first))
        best = self.static()
        if best >= beta:
            return best
        return self.resolve(max(alpha, best), beta, beyond, best, tree.generate_noisy(first))

    def resolve(self, alpha: int, beta: int, beyond: int, best: int, last: int) -> int:
        """`quiesce` where only the actions can tell, which lie on the stack up to `last`.

        `best` is what the side has without them, -INFINITE if it has to act.
        """
        tree = self.tree
        side = tree.side
        ply = tree.ply
        first = self.first[ply]
        self.first[ply + 1] = last
        hope = best + UNFORESEEN if self.delta and best > -INFINITE else INFINITE
        for i in range(first, last):
            self.order[i] = tree.promise[i]
        for i in range(first, last):
            self.pick(i, last)
            most = hope + (tree.promise[i] >> GAIN)
            if most <= alpha:
                best = max(best, most)
                break  # nor will one that promises less
            if not tree.descend(tree.found[i]):
                continue
            if tree.side == side:
                score = self.quiesce(alpha, beta, beyond + 1)
            else:
                score = -self.quiesce(-beta, -alpha, beyond + 1)
            tree.ascend()
            best = max(best, score)
            if score > alpha:
                alpha = score
                self.lead(ply, tree.found[i])
            if score >= beta:
                break
        if best == -INFINITE:
            return tree.stalled() * (WIN - ply)
        return best
