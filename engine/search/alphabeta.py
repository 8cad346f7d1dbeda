"""The search below a root move; compiled with `alphabeta.pxd`.

Principal variation search, an alpha-beta search. What `search_node` returns for a window from
alpha to beta is the node's exact score where it lies between them, else a bound on the same side:
at most alpha means "not more than this", at least beta "not less". Scores are seen from the side
to act; since one player may act several times in a turn, what comes from a node below is negated
only if the side changed.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import Final

from engine import tree as trees
from engine.position import MAX_DEPTH as DEEPEST
from engine.search import packing
from engine.search import score as scores
from engine.search.ordering import MoveOrdering
from engine.search.quiescence import Quiescence
from engine.search.stack import SearchStack
from engine.search.table import TranspositionTable
from engine.search.techniques import Techniques
from engine.tree import Tree

MAX_DEPTH: Final[int] = DEEPEST
WIN: Final[int] = scores.WIN
DECIDED: Final[int] = scores.DECIDED
INFINITE: Final = 32_001  # beyond every score
ONGOING: Final[int] = trees.ONGOING

LOWER: Final[int] = packing.LOWER
UPPER: Final[int] = packing.UPPER
EXACT: Final[int] = packing.EXACT
MOVE_MASK: Final[int] = packing.MOVE_MASK
SCORE_SHIFT: Final[int] = packing.SCORE_SHIFT
DEPTH_SHIFT: Final[int] = packing.DEPTH_SHIFT
BOUND_SHIFT: Final[int] = packing.BOUND_SHIFT
SCORE_OFFSET: Final[int] = packing.SCORE_OFFSET

FUTILITY_MARGIN: Final = 150  # by how much an evaluation may be wrong a ply before the leaves
FUTILITY_DEPTH: Final = 3
REDUCTION_DEPTH: Final = 3  # the least at which late moves are reduced

# How many plies less a late quiet move is searched: by depth and number, 64 to a depth.
REDUCTIONS: Final = [
    int(0.4 + log(depth) * log(number) / 2.2) if depth and number else 0
    for depth in range(32)
    for number in range(64)
]


class AlphaBeta:
    """The search of one tree, with a transposition table. `poll` is as in `SearchStack`."""

    def __init__(
        self,
        tree: Tree,
        table: TranspositionTable,
        techniques: Techniques,
        poll: Callable[[int], int],
    ) -> None:
        tree.material_only = int(not techniques.evaluation)
        if not (techniques.evaluation and techniques.network):
            tree.uses_network = 0
        self.tree = tree
        self.table = table
        self.stack = SearchStack(poll)
        self.ordering = MoveOrdering(tree, techniques)
        self.quiescence = Quiescence(tree, self.stack, self.ordering, techniques)
        self.uses_table: int = int(techniques.transposition_table)
        self.uses_null_windows: int = int(techniques.principal_variation)
        self.uses_null_move: int = int(techniques.null_move)
        self.uses_reductions: int = int(techniques.late_move_reductions)
        self.uses_futility: int = int(techniques.futility)
        self.uses_reverse_futility: int = int(techniques.reverse_futility)
        # Where nothing is pruned, scores of another depth differ from minimax at this one.
        self.needs_equal_depth: int = int(not techniques.prunes)

    def search_root_move(self, move: int, depth: int, alpha: int, beta: int) -> int:
        """The score of a legal move of the root, within a window, at a depth of at least 1."""
        tree = self.tree
        side = tree.side
        tree.make_move(move)
        score = self.search_child(side, depth - 1, alpha, beta)
        tree.unmake_move()
        return score

    def principal_variation(self) -> list[int]:
        """The best line behind the root move searched last, if its score was within the window."""
        return self.stack.principal_variation(1)

    def search_child(self, side: int, depth: int, alpha: int, beta: int) -> int:
        """`search_node` where the tree stands, with window and score as a side sees them."""
        if self.tree.side == side:
            return self.search_node(depth, alpha, beta, 1)
        return -self.search_node(depth, -beta, -alpha, 1)

    def search_node(self, depth: int, alpha: int, beta: int, may_try_null_move: int) -> int:
        """The score of the node that the tree stands at (see above), searched `depth` deep."""
        tree = self.tree
        ply = tree.ply
        self.stack.length[ply] = 0
        result = tree.result()
        if result != ONGOING:
            self.stack.count_node(ply)
            return result * (WIN - ply)
        if depth <= 0 or ply == MAX_DEPTH:
            return self.quiescence.score_leaf(alpha, beta)
        self.stack.count_node(ply)
        # Mate distance pruning: no end can be nearer than at the next ply.
        if alpha >= WIN - ply - 1:
            return WIN - ply - 1
        if beta <= ply - WIN:
            return ply - WIN
        hash_move = 0
        if self.uses_table:
            entry = self.table.probe(tree.key)
            if entry and self.entry_suffices(entry, depth, alpha, beta):
                return self.entry_score(entry)
            hash_move = entry & MOVE_MASK
        in_check = tree.in_check()
        if beta - alpha > 1 or in_check or self.is_mate_window(alpha, beta):
            return self.search_moves(depth, alpha, beta, hash_move, INFINITE, in_check)
        evaluation = INFINITE
        if self.uses_reverse_futility or self.uses_futility or self.uses_null_move:
            evaluation = self.quiescence.evaluate_statically()
        score = self.reverse_futility_bound(depth, beta, evaluation)
        if score < beta and may_try_null_move:
            score = self.null_move_score(depth, beta, evaluation)
        if score >= beta:
            return score
        futility_bound = INFINITE
        if self.uses_futility and depth <= FUTILITY_DEPTH and alpha > -DECIDED:
            futility_bound = evaluation + FUTILITY_MARGIN * depth
        return self.search_moves(depth, alpha, beta, hash_move, futility_bound, in_check)

    def is_mate_window(self, alpha: int, beta: int) -> bool:
        """Whether the window asks for a nearer end than one already found: no pruning then."""
        return alpha >= DECIDED or beta <= -DECIDED

    def reverse_futility_bound(self, depth: int, beta: int, evaluation: int) -> int:
        """What the node is worth at least by its evaluation, -INFINITE where that is unsure."""
        if not self.uses_reverse_futility or depth > FUTILITY_DEPTH or beta > DECIDED:
            return -INFINITE
        return evaluation - FUTILITY_MARGIN * depth

    def null_move_score(self, depth: int, beta: int, evaluation: int) -> int:
        """The bound that a null move proves, -INFINITE where none is tried."""
        tree = self.tree
        if not self.uses_null_move or depth < 2 or evaluation < beta or beta >= DECIDED:
            return -INFINITE
        if not tree.allows_null_move():
            return -INFINITE
        ply = tree.ply
        self.stack.first[ply + 1] = self.stack.first[ply]
        tree.make_null_move()
        score = -self.search_node(depth - 3 - depth // 6, -beta, 1 - beta, 0)
        tree.unmake_null_move()
        return min(score, DECIDED - 1)

    def search_moves(
        self,
        depth: int,
        alpha: int,
        beta: int,
        hash_move: int,
        futility_bound: int,
        in_check: int,
    ) -> int:
        """`search_node` over the node's moves.

        `hash_move` is searched first, unless 0; `futility_bound` is the most that quiet moves can
        score.
        """
        tree = self.tree
        ordering = self.ordering
        side = tree.side
        ply = tree.ply
        first = self.stack.first[ply]
        last = tree.generate_moves(first)
        self.stack.first[ply + 1] = last
        ordering.prioritise_moves(first, last, hash_move)
        window_alpha = alpha
        best = -INFINITE
        best_move = 0
        searched = 0
        for i in range(first, last):
            ordering.pick_move(i, last)
            move = tree.moves[i]
            quiet = tree.move_scores[i] <= 0
            if quiet and futility_bound <= alpha and searched and best > -DECIDED:
                best = max(best, futility_bound)
                continue
            if not tree.make_move(move):
                continue
            searched += 1
            score = self.search_move(side, depth, alpha, beta, searched, quiet and not in_check)
            tree.unmake_move()
            if score <= best:
                continue
            best = score
            best_move = move
            if score > alpha:
                alpha = score
                self.stack.update_line(ply, move)
            if score >= beta:
                ordering.record_cutoff(move, quiet, depth)
                break
        if searched == 0:
            return tree.result_without_moves() * (WIN - ply)
        bound = LOWER if best >= beta else UPPER if best <= window_alpha else EXACT
        self.store_node(best_move, best, depth, bound)
        return best

    def search_move(
        self, side: int, depth: int, alpha: int, beta: int, number: int, reducible: int
    ) -> int:
        """The score of a node's move, its `number`th from 1, behind which the tree stands.

        All but the first need only prove that they are no better, in a null window; late ones at a
        reduced depth.
        """
        if number == 1:
            return self.search_child(side, depth - 1, alpha, beta)
        reduction = 0
        if (
            self.uses_reductions
            and reducible
            and depth >= REDUCTION_DEPTH
            and not self.is_mate_window(alpha, beta)
            and not self.tree.in_check()
        ):
            reduction = REDUCTIONS[min(depth, 31) << 6 | min(number, 63)]
        null_window_beta = alpha + 1 if self.uses_null_windows else beta
        score = alpha + 1
        if reduction:
            score = self.search_child(side, depth - 1 - reduction, alpha, null_window_beta)
        if score > alpha:
            score = self.search_child(side, depth - 1, alpha, null_window_beta)
            if null_window_beta <= score < beta:
                score = self.search_child(side, depth - 1, alpha, beta)
        return score

    def store_node(self, move: int, score: int, depth: int, bound: int) -> None:
        """Put the node into the table; the distance of an end counts from it, not from the root."""
        if not self.uses_table:
            return
        ply = self.tree.ply
        if score >= DECIDED:
            score += ply
        elif score <= -DECIDED:
            score -= ply
        self.table.store(self.tree.key, move, score, depth, bound)

    def entry_score(self, entry: int) -> int:
        """The score of a table entry, the distance of an end counted from the root."""
        score = ((entry >> SCORE_SHIFT) & 65535) - SCORE_OFFSET
        if score >= DECIDED:
            score -= self.tree.ply
        elif score <= -DECIDED:
            score += self.tree.ply
        return score

    def entry_suffices(self, entry: int, depth: int, alpha: int, beta: int) -> bool:
        """Whether a table entry answers for the node; never where the line itself is wanted."""
        entry_depth = (entry >> DEPTH_SHIFT) & 127
        if entry_depth < depth or (self.needs_equal_depth and entry_depth != depth):
            return False
        if self.uses_null_windows and beta - alpha > 1:
            return False
        bound = (entry >> BOUND_SHIFT) & 3
        score = self.entry_score(entry)
        if (
            not self.needs_equal_depth
            and self.is_mate_window(alpha, beta)
            and -DECIDED < score < DECIDED
        ):
            return False  # pruning may have made it
        if bound == EXACT:
            return True
        return score >= beta if bound == LOWER else score <= alpha
