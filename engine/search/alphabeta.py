"""The search below a root action; compiled with `alphabeta.pxd`.

Principal variation alpha-beta. What `bound` returns for a window from alpha to beta is the node's
exact score where it lies between them, else a bound on the same side: at most alpha means "not
more than this", at least beta "not less". Scores are seen from the side to act; since one player
may act several times in a turn, what comes from a node below is turned only if the side changed.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import Final

from engine import tree as trees
from engine.position import MAX_DEPTH as DEEPEST
from engine.search import packing
from engine.search import score as scores
from engine.search.quiescence import Quiescence
from engine.search.table import Table
from engine.search.techniques import Techniques
from engine.tree import Tree

MAX_DEPTH: Final[int] = DEEPEST
WIN: Final[int] = scores.WIN
DECIDED: Final[int] = scores.DECIDED
INFINITE: Final = 32_001  # beyond every score
ON: Final[int] = trees.ON

LOWER: Final[int] = packing.LOWER
UPPER: Final[int] = packing.UPPER
EXACT: Final[int] = packing.EXACT
ACTION: Final[int] = packing.ACTION
SCORE: Final[int] = packing.SCORE
DEPTH: Final[int] = packing.DEPTH
BOUND: Final[int] = packing.BOUND
OFFSET: Final[int] = packing.OFFSET

MARGIN: Final = 150  # by how much an evaluation may be wrong a ply before the leaves
FUTILE_DEPTH: Final = 3
REDUCED_FROM: Final = 3

# How many plies less a late quiet action is searched: by depth and number, 64 to a depth.
REDUCTIONS: Final = [
    int(0.4 + log(depth) * log(number) / 2.2) if depth and number else 0
    for depth in range(32)
    for number in range(64)
]


class AlphaBeta(Quiescence):
    """The search of one tree, with what a table remembers of it."""

    def __init__(
        self, tree: Tree, table: Table, techniques: Techniques, poll: Callable[[int], int]
    ) -> None:
        super().__init__(tree, techniques, poll)
        self.table = table
        self.remembers: int = int(techniques.transposition_table)
        self.narrows: int = int(techniques.principal_variation)
        self.null_move: int = int(techniques.null_move)
        self.reduces: int = int(techniques.late_move_reductions)
        self.futility: int = int(techniques.futility)
        self.reverse_futility: int = int(techniques.reverse_futility)
        # Scores of another depth are good enough unless the depth is all there is.
        self.exact: int = int(not techniques.prunes)

    def search(self, action: int, depth: int, alpha: int, beta: int) -> int:
        """The score of a legal action of the root, within a window, at a depth of at least 1."""
        tree = self.tree
        side = tree.side
        tree.descend(action)
        score = self.seen_from(side, depth - 1, alpha, beta)
        tree.ascend()
        return score

    def principal_variation(self) -> list[int]:
        """The best line behind the action searched last, if its score was within the window."""
        return [self.line[66 + i] for i in range(self.length[1])]

    def seen_from(self, side: int, depth: int, alpha: int, beta: int) -> int:
        """`bound` of the node that the tree stands at, from the view of a side."""
        if self.tree.side == side:
            return self.bound(depth, alpha, beta, 1)
        return -self.bound(depth, -beta, -alpha, 1)

    def bound(self, depth: int, alpha: int, beta: int, null_move: int) -> int:
        """The score of the node that the tree stands at (see above), searched `depth` deep."""
        tree = self.tree
        ply = tree.ply
        self.length[ply] = 0
        ending = tree.ending()
        if ending != ON:
            self.visit()
            return ending * (WIN - ply)
        if depth <= 0 or ply == MAX_DEPTH:
            return self.leaf(alpha, beta)
        self.visit()
        # No end can be nearer than at the next ply, so of decided lines only shorter ones are open.
        if alpha >= WIN - ply - 1:
            return WIN - ply - 1
        if beta <= ply - WIN:
            return ply - WIN
        known = 0
        if self.remembers:
            entry = self.table.probe(tree.key)
            if entry and self.suffices(entry, depth, alpha, beta):
                return self.recalled(entry)
            known = entry & ACTION
        threatened = tree.threatened()
        if beta - alpha > 1 or threatened or self.certain(alpha, beta):
            return self.try_actions(depth, alpha, beta, known, INFINITE, threatened)
        static = INFINITE
        if self.reverse_futility or self.futility or self.null_move:
            static = self.static()
        score = self.foreseen(depth, beta, static)
        if score < beta and null_move:
            score = self.passed(depth, beta, static)
        if score >= beta:
            return score
        hope = INFINITE
        if self.futility and depth <= FUTILE_DEPTH and alpha > -DECIDED:
            hope = static + MARGIN * depth
        return self.try_actions(depth, alpha, beta, known, hope, threatened)

    def certain(self, alpha: int, beta: int) -> bool:
        """Whether the window asks for a nearer end than one that is known: no guesses then."""
        return alpha >= DECIDED or beta <= -DECIDED

    def foreseen(self, depth: int, beta: int, static: int) -> int:
        """What the evaluation will come to at least, -INFINITE where it does not tell."""
        if not self.reverse_futility or depth > FUTILE_DEPTH or beta > DECIDED:
            return -INFINITE
        return static - MARGIN * depth

    def passed(self, depth: int, beta: int, static: int) -> int:
        """The bound that a null move proves, -INFINITE where it is not to be tried."""
        tree = self.tree
        if not self.null_move or depth < 2 or static < beta or beta >= DECIDED:
            return -INFINITE
        if not tree.may_pass():
            return -INFINITE
        ply = tree.ply
        self.first[ply + 1] = self.first[ply]
        tree.descend_null()
        score = -self.bound(depth - 3 - depth // 6, -beta, 1 - beta, 0)
        tree.ascend_null()
        return min(score, DECIDED - 1)

    def try_actions(
        self, depth: int, alpha: int, beta: int, known: int, hope: int, threatened: int
    ) -> int:
        """`bound` where only the actions can tell.

        `known` is the action to try first, if any; `hope` is the most that quiet ones can bring.
        """
        tree = self.tree
        side = tree.side
        ply = tree.ply
        first = self.first[ply]
        last = tree.generate(first)
        self.first[ply + 1] = last
        self.rank(first, last, known)
        floor = alpha
        best = -INFINITE
        chosen = 0
        tried = 0
        for i in range(first, last):
            self.pick(i, last)
            action = tree.found[i]
            quiet = tree.promise[i] <= 0
            if quiet and hope <= alpha and tried and best > -DECIDED:
                best = max(best, hope)
                continue
            if not tree.descend(action):
                continue
            tried += 1
            score = self.behind(side, depth, alpha, beta, tried, quiet and not threatened)
            tree.ascend()
            if score <= best:
                continue
            best = score
            chosen = action
            if score > alpha:
                alpha = score
                self.lead(ply, action)
            if score >= beta:
                self.reward(action, quiet, depth)
                break
        if tried == 0:
            return tree.stalled() * (WIN - ply)
        bound = LOWER if best >= beta else UPPER if best <= floor else EXACT
        self.remember(chosen, best, depth, bound)
        return best

    def behind(
        self, side: int, depth: int, alpha: int, beta: int, tried: int, reducible: int
    ) -> int:
        """The score of the `tried`th action, behind which the tree stands.

        All but the first need only prove that they are no better, late ones at a lesser depth.
        """
        if tried == 1:
            return self.seen_from(side, depth - 1, alpha, beta)
        reduction = 0
        if (
            self.reduces
            and reducible
            and depth >= REDUCED_FROM
            and not self.certain(alpha, beta)
            and not self.tree.threatened()
        ):
            reduction = REDUCTIONS[min(depth, 31) << 6 | min(tried, 63)]
        top = alpha + 1 if self.narrows else beta
        score = alpha + 1
        if reduction:
            score = self.seen_from(side, depth - 1 - reduction, alpha, top)
        if score > alpha:
            score = self.seen_from(side, depth - 1, alpha, top)
            if top <= score < beta:
                score = self.seen_from(side, depth - 1, alpha, beta)
        return score

    def remember(self, action: int, score: int, depth: int, bound: int) -> None:
        """Put the node into the table; the distance of an end counts from it, not from the root."""
        if not self.remembers:
            return
        ply = self.tree.ply
        if score >= DECIDED:
            score += ply
        elif score <= -DECIDED:
            score -= ply
        self.table.store(self.tree.key, action, score, depth, bound)

    def recalled(self, entry: int) -> int:
        """The score of an entry, as seen from the root."""
        score = ((entry >> SCORE) & 65535) - OFFSET
        if score >= DECIDED:
            score -= self.tree.ply
        elif score <= -DECIDED:
            score += self.tree.ply
        return score

    def suffices(self, entry: int, depth: int, alpha: int, beta: int) -> bool:
        """Whether an entry answers for the node, apart from those whose line is wanted."""
        found = (entry >> DEPTH) & 127
        if found < depth or (self.exact and found != depth):
            return False
        if self.narrows and beta - alpha > 1:
            return False
        bound = (entry >> BOUND) & 3
        score = self.recalled(entry)
        if not self.exact and self.certain(alpha, beta) and -DECIDED < score < DECIDED:
            return False  # it may rest on guesses
        if bound == EXACT:
            return True
        return score >= beta if bound == LOWER else score <= alpha
