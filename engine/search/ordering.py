"""Move ordering: in which order a node's moves are searched; compiled with `ordering.pxd`.

First the hash move, then what is not quiet by its score, then the quiet moves that refuted other
nodes: killers those of the same ply, history all over the tree.
"""

from __future__ import annotations

from typing import Final

from engine.search.techniques import Techniques
from engine.tree import Tree

HASH_MOVE: Final = 1 << 30
NOISY: Final = 1 << 26
KILLER: Final = 1 << 25
MAX_HISTORY: Final = 1 << 14  # history numbers stay below


class MoveOrdering:
    """The priorities of a tree's moves, beside them on its stack, and what refuted its nodes."""

    def __init__(self, tree: Tree, techniques: Techniques) -> None:
        self.tree = tree
        self.uses_killers: int = int(techniques.killers)
        self.uses_history: int = int(techniques.history)
        self.killers: list[int] = [0] * 130
        self.history: list[int] = [0] * 131072
        self.priorities: list[int] = [0] * 65536

    def prioritise_moves(self, first: int, last: int, hash_move: int) -> None:
        """Give the moves from `first` to before `last` their priorities; 0 is no hash move."""
        tree = self.tree
        priorities = self.priorities
        killers = 2 * tree.ply
        side = tree.side << 16
        for i in range(first, last):
            move = tree.moves[i]
            score = tree.move_scores[i]
            if move == hash_move:
                priorities[i] = HASH_MOVE
            elif score > 0:
                priorities[i] = NOISY + score
            elif move == self.killers[killers]:
                priorities[i] = KILLER
            elif move == self.killers[killers + 1]:
                priorities[i] = KILLER - 1
            else:
                priorities[i] = score + self.history[side | (move & 65535)]

    def prioritise_by_score(self, first: int, last: int) -> None:
        """Make the moves' own scores their priorities, as in quiescence."""
        for i in range(first, last):
            self.priorities[i] = self.tree.move_scores[i]

    def pick_move(self, at: int, last: int) -> None:
        """Bring the move of the highest priority from `at` on to `at`; of equals the first."""
        tree = self.tree
        priorities = self.priorities
        priority = priorities[at]
        for i in range(at + 1, last):
            priority = max(priority, priorities[i])
        best = at
        while priorities[best] != priority:
            best += 1
        if best != at:
            move = tree.moves[best]
            score = tree.move_scores[best]
            priorities[best] = priorities[at]
            tree.moves[best] = tree.moves[at]
            tree.move_scores[best] = tree.move_scores[at]
            priorities[at] = priority
            tree.moves[at] = move
            tree.move_scores[at] = score

    def record_cutoff(self, move: int, quiet: int, depth: int) -> None:
        """Remember a quiet move that has refuted the node, and forget a little of the others."""
        if not quiet:
            return
        tree = self.tree
        if self.uses_killers:
            at = 2 * tree.ply
            if self.killers[at] != move:
                self.killers[at + 1] = self.killers[at]
                self.killers[at] = move
        if self.uses_history:
            number = tree.side << 16 | (move & 65535)
            bonus = min(depth * depth, 400)
            self.history[number] += bonus - (self.history[number] * bonus) // MAX_HISTORY
