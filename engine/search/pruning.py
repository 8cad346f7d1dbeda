"""What the search passes over or searches less deep; compiled with `pruning.pxd`.

It computes bounds and numbers from a game's `engine.search.parameters`; `alphabeta` acts on them.
"""

from __future__ import annotations

from typing import Final

from engine.search import score as scores
from engine.search.parameters import Parameters, list_reductions
from engine.search.techniques import Techniques

DECIDED: Final[int] = scores.DECIDED
INFINITE: Final = 32_001  # beyond every score
MOST_FURTHER: Final = 3  # the most that an evaluation adds to the null move's reduction


class Pruning:
    """The techniques in use that look only at a node's depth, window and evaluation.

    `improving` is whether the side to act stands better than when it last acted.
    """

    def __init__(self, techniques: Techniques, parameters: Parameters) -> None:
        self.uses_futility: int = int(techniques.futility)
        self.uses_reverse_futility: int = int(techniques.reverse_futility)
        self.uses_razoring: int = int(techniques.razoring)
        self.uses_reductions: int = int(techniques.late_move_reductions)
        self.uses_late_move_pruning: int = int(techniques.late_move_pruning)
        self.uses_history: int = int(techniques.history)
        self.uses_history_pruning: int = int(techniques.history and techniques.history_pruning)
        self.uses_improving: int = int(techniques.improving)
        self.futility_margin: int = parameters.futility_margin
        self.futility_depth: int = parameters.futility_depth
        self.reverse_margin: int = parameters.reverse_margin
        self.reverse_depth: int = parameters.reverse_depth
        self.razoring_margin: int = parameters.razoring_margin
        self.razoring_depth: int = parameters.razoring_depth
        self.null_move_reduction: int = parameters.null_move_reduction
        self.null_move_share: int = parameters.null_move_share
        self.null_move_margin: int = parameters.null_move_margin
        self.reduction_history: int = parameters.reduction_history
        self.late_move_base: int = parameters.late_move_base
        self.late_move_factor: int = parameters.late_move_factor
        self.late_move_depth: int = parameters.late_move_depth
        self.history_margin: int = parameters.history_margin
        self.history_depth: int = parameters.history_depth
        self.reductions: list[int] = list_reductions(
            parameters.reduction_base, parameters.reduction_divisor
        )

    def reverse_futility_bound(self, depth: int, beta: int, evaluation: int, improving: int) -> int:
        """The least that a node is worth by its evaluation, -INFINITE where that is unsure."""
        if not self.uses_reverse_futility or depth > self.reverse_depth or beta > DECIDED:
            return -INFINITE
        if improving:
            depth -= 1
        return evaluation - self.reverse_margin * depth

    def razoring_bound(self, depth: int, alpha: int, evaluation: int) -> int:
        """The most that a node can reach by its evaluation, INFINITE where that is unsure."""
        if not self.uses_razoring or depth > self.razoring_depth or alpha < -DECIDED:
            return INFINITE
        return evaluation + self.razoring_margin * depth

    def futility_bound(self, depth: int, alpha: int, evaluation: int) -> int:
        """The most that quiet moves of a node score by its evaluation, INFINITE if unsure."""
        if not self.uses_futility or depth > self.futility_depth or alpha <= -DECIDED:
            return INFINITE
        return evaluation + self.futility_margin * depth

    def count_late_moves(self, depth: int, improving: int) -> int:
        """How many moves of a node are searched; the quiet ones after them are not."""
        if not self.uses_late_move_pruning or depth > self.late_move_depth:
            return INFINITE
        most = self.late_move_base + self.late_move_factor * depth * depth // 100
        return most if improving else (most + 1) // 2

    def least_history(self, depth: int) -> int:
        """The history that a quiet move of a node needs to be searched."""
        if not self.uses_history_pruning or depth > self.history_depth:
            return -INFINITE
        return -self.history_margin * depth

    def null_move_depth(self, depth: int, beta: int, evaluation: int) -> int:
        """How deep the node after a null move is searched; `evaluation` is at least `beta`."""
        further = min(MOST_FURTHER, (evaluation - beta) // self.null_move_margin)
        return depth - 1 - self.null_move_reduction - depth // self.null_move_share - further

    def reduction(
        self, depth: int, number: int, history: int, improving: int, in_wide_window: int
    ) -> int:
        """By how much a node's late quiet move, the `number`th, is searched less deep."""
        if not self.uses_reductions or depth < 3:
            return 0
        reduction = self.reductions[min(depth, 31) << 6 | min(number, 63)]
        if self.uses_improving and not improving:
            reduction += 1
        if self.uses_history:
            if history >= self.reduction_history:
                reduction -= 1
            elif history <= -self.reduction_history:
                reduction += 1
        if in_wide_window:
            reduction -= 1
        return max(0, min(reduction, depth - 2))
