"""Quiescence search, beyond the nominal depth; compiled with `quiescence.pxd`.

The evaluation of a position in the middle of an exchange says nothing. Here only moves that are
not quiet are searched, until nothing is left hanging, and a side may always stand pat: accept the
evaluation as it is.
"""

from __future__ import annotations

from typing import Final

from engine import tree as trees
from engine.position import MAX_DEPTH as DEEPEST
from engine.search import score as scores
from engine.search.ordering import MoveOrdering
from engine.search.parameters import Parameters
from engine.search.stack import SearchStack
from engine.search.techniques import Techniques
from engine.tree import Tree, evaluate

MAX_DEPTH: Final[int] = DEEPEST
WIN: Final[int] = scores.WIN
DECIDED: Final[int] = scores.DECIDED
INFINITE: Final = 32_001  # beyond every score
ONGOING: Final[int] = trees.ONGOING
GAIN_SHIFT: Final[int] = trees.GAIN_SHIFT

EVASION_PLIES: Final = 4  # up to this ply of quiescence a check is answered with every move
KNOWN: Final = 8191  # the mask of a hash for its slot: one less than the evaluations kept


class Quiescence:
    """The search of the leaves of one tree. Windows and scores are as in `alphabeta`."""

    def __init__(
        self,
        tree: Tree,
        stack: SearchStack,
        ordering: MoveOrdering,
        techniques: Techniques,
        parameters: Parameters,
    ) -> None:
        self.tree = tree
        self.stack = stack
        self.ordering = ordering
        self.uses_quiescence: int = int(techniques.quiescence)
        self.uses_delta_pruning: int = int(techniques.delta)
        self.uses_exchanges: int = int(techniques.exchanges)
        self.delta_margin: int = parameters.delta_margin
        # Deepening and transpositions revisit positions: their evaluations by hash.
        self.keys: list[int] = [-1] * 8192
        self.evaluations: list[int] = [0] * 8192

    def evaluate_statically(self) -> int:
        """The static evaluation, which never looks like a decided score."""
        key = self.tree.key
        slot = key & KNOWN
        if self.keys[slot] != key:
            self.evaluations[slot] = max(1 - DECIDED, min(DECIDED - 1, evaluate(self.tree)))
            self.keys[slot] = key
        return self.evaluations[slot]

    def score_leaf(self, alpha: int, beta: int) -> int:
        """The score of a node at depth 0."""
        if self.uses_quiescence:
            return self.quiesce(alpha, beta, 0)
        tree = self.tree
        ply = tree.ply
        self.stack.count_node(ply)
        if ply == MAX_DEPTH:
            return self.evaluate_statically()
        first = self.stack.first[ply]
        for i in range(first, tree.generate_moves(first)):
            if tree.make_move(tree.moves[i]):
                tree.unmake_move()
                return self.evaluate_statically()
        return tree.result_without_moves() * (WIN - ply)

    def quiesce(self, alpha: int, beta: int, depth: int) -> int:
        """The score of a node that is `depth` plies into quiescence."""
        tree = self.tree
        ply = tree.ply
        self.stack.length[ply] = 0
        self.stack.count_node(ply)
        result = tree.result()
        if result != ONGOING:
            return result * (WIN - ply)
        if ply == MAX_DEPTH:
            return self.evaluate_statically()
        first = self.stack.first[ply]
        if tree.in_check() and depth < EVASION_PLIES:
            return self.search_moves(alpha, beta, depth, -INFINITE, tree.generate_moves(first))
        stand_pat = self.evaluate_statically()
        if stand_pat >= beta:
            return stand_pat
        return self.search_moves(
            max(alpha, stand_pat), beta, depth, stand_pat, tree.generate_noisy_moves(first)
        )

    def search_moves(self, alpha: int, beta: int, depth: int, best: int, last: int) -> int:
        """`quiesce` over the node's moves, which end at `last` on the tree's stack.

        `best` is the score of standing pat, -INFINITE if the side has to move.
        """
        tree = self.tree
        ordering = self.ordering
        side = tree.side
        ply = tree.ply
        first = self.stack.first[ply]
        self.stack.first[ply + 1] = last
        delta_base = (
            best + self.delta_margin if self.uses_delta_pruning and best > -INFINITE else INFINITE
        )
        passes_over = self.uses_exchanges and best > -INFINITE
        ordering.prioritise_by_score(first, last)
        for i in range(first, last):
            ordering.pick_move(i, last)
            delta_bound = delta_base + (tree.move_scores[i] >> GAIN_SHIFT)
            if delta_bound <= alpha:
                best = max(best, delta_bound)
                break  # the moves that follow gain no more
            if passes_over and ordering.exchanges.loses(tree.moves[i]):
                continue
            if not tree.make_move(tree.moves[i]):
                continue
            if tree.side == side:
                score = self.quiesce(alpha, beta, depth + 1)
            else:
                score = -self.quiesce(-beta, -alpha, depth + 1)
            tree.unmake_move()
            best = max(best, score)
            if score > alpha:
                alpha = score
                self.stack.update_line(ply, tree.moves[i])
            if score >= beta:
                break
        if best == -INFINITE:
            return tree.result_without_moves() * (WIN - ply)
        return best
