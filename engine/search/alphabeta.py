"""The search below a root move; compiled with `alphabeta.pxd`.

Principal variation search, an alpha-beta search. What `search_node` returns for a window from
alpha to beta is the node's exact score where it lies between them, else a bound on the same side:
at most alpha means "not more than this", at least beta "not less". Scores are seen from the side
to act. Since one player may act several times in a turn, the score of a node below is negated
only if the side changed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine import tree as trees
from engine.exchange import Exchanges
from engine.position import MAX_DEPTH as DEEPEST
from engine.search import packing
from engine.search import score as scores
from engine.search.ordering import MoveOrdering
from engine.search.parameters import Parameters
from engine.search.pruning import Pruning
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


class AlphaBeta:
    """The search of one tree, with a transposition table. `poll` is as in `SearchStack`."""

    def __init__(
        self,
        tree: Tree,
        exchanges: Exchanges,
        table: TranspositionTable,
        techniques: Techniques,
        parameters: Parameters,
        poll: Callable[[int], int],
    ) -> None:
        tree.material_only = int(not techniques.evaluation)
        if not (techniques.evaluation and techniques.network):
            tree.uses_network = 0
        self.tree = tree
        self.table = table
        self.stack = SearchStack(poll)
        self.ordering = MoveOrdering(tree, self.stack, exchanges, techniques)
        self.quiescence = Quiescence(tree, self.stack, self.ordering, techniques, parameters)
        self.pruning = Pruning(techniques, parameters)
        self.uses_table: int = int(techniques.transposition_table)
        self.uses_null_windows: int = int(techniques.principal_variation)
        self.uses_null_move: int = int(techniques.null_move)
        self.uses_internal_reductions: int = int(techniques.internal_reductions)
        self.uses_table_evaluation: int = int(techniques.table_evaluation)
        self.uses_root_reductions: int = int(techniques.root_reductions)
        self.internal_depth: int = parameters.internal_depth
        # Without pruning, scores of another depth would differ from minimax at this one.
        self.needs_equal_depth: int = int(not techniques.prunes)

    def search_root_move(self, move: int, number: int, depth: int, alpha: int, beta: int) -> int:
        """The score of a legal move of the root, the `number`th (from 1), within a window.

        `depth` is at least 1. In a null window a late move is first searched less deep.
        """
        tree = self.tree
        side = tree.side
        self.stack.moves[0] = move
        self.evaluate_node(tree.in_check(), 0)
        reduction = 0
        if (
            self.uses_root_reductions
            and number > 1
            and beta - alpha == 1
            and not tree.in_check()
            and not self.is_mate_window(alpha, beta)
            and tree.score_move(move) <= 0
        ):
            history = self.ordering.move_history(move)
            reduction = self.pruning.reduction(depth, number, history, 1, 0)
        tree.make_move(move)
        score = beta
        if reduction and not tree.in_check():
            score = self.search_child(side, depth - 1 - reduction, alpha, beta)
        if score > alpha:
            score = self.search_child(side, depth - 1, alpha, beta)
        tree.unmake_move()
        return score

    def principal_variation(self) -> list[int]:
        """The best line after the root move searched last, if its score was within the window."""
        return self.stack.principal_variation(1)

    def search_child(self, side: int, depth: int, alpha: int, beta: int) -> int:
        """`search_node` at the tree's node, with window and score as seen by `side`."""
        if self.tree.side == side:
            return self.search_node(depth, alpha, beta, 1)
        return -self.search_node(depth, -beta, -alpha, 1)

    def search_node(self, depth: int, alpha: int, beta: int, may_try_null_move: int) -> int:
        """The score of the tree's node (see above), searched `depth` deep."""
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
        entry = 0
        if self.uses_table:
            entry = self.table.probe(tree.key)
            if entry and self.entry_suffices(entry, depth, alpha, beta):
                return self.entry_score(entry)
        hash_move = entry & MOVE_MASK
        in_check = tree.in_check()
        evaluation = self.evaluate_node(in_check, entry)
        if beta - alpha > 1 or in_check or self.is_mate_window(alpha, beta):
            return self.search_moves(depth, alpha, beta, hash_move, INFINITE, in_check)
        if self.uses_internal_reductions and depth >= self.internal_depth and not hash_move:
            depth -= 1
        score = self.prune_node(depth, alpha, beta, evaluation, may_try_null_move)
        if score > -INFINITE:
            return score
        return self.search_moves(depth, alpha, beta, hash_move, evaluation, in_check)

    def is_mate_window(self, alpha: int, beta: int) -> bool:
        """Whether only a nearer end than one already found fits the window: no pruning then."""
        return alpha >= DECIDED or beta <= -DECIDED

    def evaluate_node(self, in_check: int, entry: int) -> int:
        """The evaluation by which a node is pruned; `entry` is the table's, or 0.

        The static evaluation is kept by ply. In check it is worthless, and the one from two plies
        before is used instead.
        """
        stack = self.stack
        ply = self.tree.ply
        if in_check:
            stack.evaluations[ply] = stack.evaluations[ply - 2] if ply > 1 else 0
            return INFINITE
        evaluation = self.quiescence.evaluate_statically()
        stack.evaluations[ply] = -evaluation if self.tree.side else evaluation
        if entry and self.uses_table_evaluation:
            score = self.entry_score(entry)
            bound = (entry >> BOUND_SHIFT) & 3
            if -DECIDED < score < DECIDED and bound & (LOWER if score > evaluation else UPPER):
                return score
        return evaluation

    def is_improving(self) -> bool:
        """Whether the side to act stands better than two plies before."""
        stack = self.stack
        ply = self.tree.ply
        if ply < 2:
            return True
        gained = stack.evaluations[ply] - stack.evaluations[ply - 2]
        return gained < 0 if self.tree.side else gained > 0

    def prune_node(
        self, depth: int, alpha: int, beta: int, evaluation: int, may_try_null_move: int
    ) -> int:
        """A bound beyond a null window found without the moves, -INFINITE for none."""
        improving = self.pruning.uses_improving and self.is_improving()
        score = self.pruning.reverse_futility_bound(depth, beta, evaluation, improving)
        if score >= beta:
            return score
        if self.pruning.razoring_bound(depth, alpha, evaluation) <= alpha:
            score = self.quiescence.score_leaf(alpha, beta)
            if score <= alpha:
                return score
        if may_try_null_move:
            score = self.null_move_score(depth, beta, evaluation)
            if score >= beta:
                return score
        return -INFINITE

    def null_move_score(self, depth: int, beta: int, evaluation: int) -> int:
        """The bound that a null move proves, -INFINITE where none is tried."""
        tree = self.tree
        if not self.uses_null_move or depth < 2 or evaluation < beta or beta >= DECIDED:
            return -INFINITE
        if not tree.allows_null_move():
            return -INFINITE
        ply = tree.ply
        self.stack.first[ply + 1] = self.stack.first[ply]
        self.stack.moves[ply] = 0
        tree.make_null_move()
        null_depth = self.pruning.null_move_depth(depth, beta, evaluation)
        score = -self.search_node(null_depth, -beta, 1 - beta, 0)
        tree.unmake_null_move()
        return min(score, DECIDED - 1)

    def search_moves(
        self, depth: int, alpha: int, beta: int, hash_move: int, evaluation: int, in_check: int
    ) -> int:
        """`search_node` over the node's moves.

        `hash_move`, unless 0, is searched first. `evaluation`, unless INFINITE, decides which moves
        are passed over.
        """
        tree = self.tree
        ordering = self.ordering
        stack = self.stack
        side = tree.side
        ply = tree.ply
        first = stack.first[ply]
        last = tree.generate_moves(first)
        stack.first[ply + 1] = last
        ordering.prioritise_moves(first, last, hash_move)
        improving = not self.pruning.uses_improving or self.is_improving()
        futility_bound = INFINITE
        late = INFINITE
        least_history = -INFINITE
        if evaluation < INFINITE:
            futility_bound = self.pruning.futility_bound(depth, alpha, evaluation)
            late = self.pruning.count_late_moves(depth, improving)
            least_history = self.pruning.least_history(depth)
        window_alpha = alpha
        best = -INFINITE
        best_move = 0
        searched = 0
        for i in range(first, last):
            ordering.pick_move(i, last)
            move = tree.moves[i]
            quiet = tree.move_scores[i] <= 0
            history = ordering.move_history(move) if quiet else 0
            if quiet and searched and best > -DECIDED:
                # All moves that follow are quiet too, or lose material.
                if futility_bound <= alpha:
                    best = max(best, futility_bound)
                    break
                if searched >= late:
                    break
                if history < least_history:
                    continue
            stack.moves[ply] = move
            if not tree.make_move(move):
                continue
            searched += 1
            reduction = 0
            if (
                quiet
                and searched > 1
                and not in_check
                and not self.is_mate_window(alpha, beta)
                and not tree.in_check()
            ):
                wide = beta - window_alpha > 1
                reduction = self.pruning.reduction(depth, searched, history, improving, wide)
            score = self.search_move(side, depth, alpha, beta, searched, reduction)
            tree.unmake_move()
            if score <= best:
                continue
            best = score
            best_move = move
            if score > alpha:
                alpha = score
                stack.update_line(ply, move)
            if score >= beta:
                ordering.record_cutoff(first, i, depth)
                break
        if searched == 0:
            return tree.result_without_moves() * (WIN - ply)
        bound = LOWER if best >= beta else UPPER if best <= window_alpha else EXACT
        self.store_node(best_move, best, depth, bound)
        return best

    def search_move(
        self, side: int, depth: int, alpha: int, beta: int, number: int, reduction: int
    ) -> int:
        """The score of a node's move, the `number`th (from 1), which has been made in the tree.

        All but the first move need only prove, in a null window, that they are no better. Late
        moves are first searched at a reduced depth.
        """
        if number == 1:
            return self.search_child(side, depth - 1, alpha, beta)
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
        """Put the node into the table; the distance to an end counts from it, not from the root."""
        if not self.uses_table:
            return
        ply = self.tree.ply
        if score >= DECIDED:
            score += ply
        elif score <= -DECIDED:
            score -= ply
        self.table.store(self.tree.key, move, score, depth, bound)

    def entry_score(self, entry: int) -> int:
        """The score of a table entry, with the distance to an end counted from the root."""
        score = ((entry >> SCORE_SHIFT) & 65535) - SCORE_OFFSET
        if score >= DECIDED:
            score -= self.tree.ply
        elif score <= -DECIDED:
            score += self.tree.ply
        return score

    def entry_suffices(self, entry: int, depth: int, alpha: int, beta: int) -> bool:
        """Whether a table entry can replace a search of the node; never if its line is wanted."""
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
