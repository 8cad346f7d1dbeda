"""Move ordering: in which order a node's moves are searched; compiled with `ordering.pxd`.

First comes the hash move, then moves that are not quiet, by score, then the quiet moves that
refuted other nodes: killers at the same ply, the countermove after the same move, history anywhere
in the tree. Last are captures that lose an exchange.
"""

from __future__ import annotations

from typing import Final

from engine.exchange import Exchanges
from engine.search.stack import SearchStack
from engine.search.techniques import Techniques
from engine.tree import Tree

HASH_MOVE: Final = 1 << 30
NOISY: Final = 1 << 26
KILLER: Final = 1 << 25
LOSING: Final = -(1 << 25)
HISTORY_BITS: Final = 14  # history numbers stay within 2 to the power of this
MOST_BONUS: Final = 1 << 11


class MoveOrdering:
    """The priorities of a tree's moves, parallel to its stack, and the moves that refuted nodes."""

    def __init__(
        self, tree: Tree, stack: SearchStack, exchanges: Exchanges, techniques: Techniques
    ) -> None:
        self.tree = tree
        self.stack = stack
        self.exchanges = exchanges
        self.uses_killers: int = int(techniques.killers)
        self.uses_history: int = int(techniques.history)
        self.uses_countermoves: int = int(techniques.countermoves)
        self.uses_exchanges: int = int(techniques.exchanges)
        self.killers: list[int] = [0] * 130
        self.history: list[int] = [0] * 131072
        self.countermoves: list[int] = [0] * 131072
        self.priorities: list[int] = [0] * 65536

    def prioritise_moves(self, first: int, last: int, hash_move: int) -> None:
        """Give the moves from `first` up to `last`, exclusive, priorities; 0 is no hash move."""
        tree = self.tree
        priorities = self.priorities
        killer = self.killers[2 * tree.ply]
        other_killer = self.killers[2 * tree.ply + 1]
        countermove = self.countermoves[self.countered_move()]
        side = tree.side << 16
        for i in range(first, last):
            move = tree.moves[i]
            score = tree.move_scores[i]
            if move == hash_move:
                priorities[i] = HASH_MOVE
            elif score > 0:
                losing = self.uses_exchanges and self.exchanges.loses(move)
                priorities[i] = (LOSING if losing else NOISY) + score
            elif move == killer:
                priorities[i] = KILLER
            elif move == other_killer:
                priorities[i] = KILLER - 1
            elif move == countermove:
                priorities[i] = KILLER - 2
            else:
                priorities[i] = score + self.history[side | (move & 65535)]

    def countered_move(self) -> int:
        """The index of the node's countermove, by its side and the move before it."""
        tree = self.tree
        if tree.ply == 0:
            return 0
        return tree.side << 16 | (self.stack.moves[tree.ply - 1] & 65535)

    def move_history(self, move: int) -> int:
        """The history of a quiet move of the node's side: how often it refuted a node, or not."""
        return self.history[self.tree.side << 16 | (move & 65535)]

    def prioritise_by_score(self, first: int, last: int) -> None:
        """Make the moves' own scores their priorities, as in quiescence."""
        for i in range(first, last):
            self.priorities[i] = self.tree.move_scores[i]

    def pick_move(self, at: int, last: int) -> None:
        """Move the move of highest priority from `at` on to `at`; of equals, the first."""
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

    def record_cutoff(self, first: int, at: int, depth: int) -> None:
        """Remember that the move at `at` has refuted the node.

        The moves before it, from `first` on, have not.
        """
        tree = self.tree
        move = tree.moves[at]
        bonus = min(32 * depth * (depth + 1), MOST_BONUS)
        if self.uses_history:
            for i in range(first, at):
                if tree.move_scores[i] <= 0:
                    self.change_history(tree.moves[i], -bonus)
        if tree.move_scores[at] > 0:
            return
        if self.uses_history:
            self.change_history(move, bonus)
        if self.uses_countermoves and tree.ply:
            self.countermoves[self.countered_move()] = move
        if self.uses_killers and self.killers[2 * tree.ply] != move:
            self.killers[2 * tree.ply + 1] = self.killers[2 * tree.ply]
            self.killers[2 * tree.ply] = move

    def change_history(self, move: int, bonus: int) -> None:
        """Add to a move's history, and forget a little of what was added before."""
        number = self.tree.side << 16 | (move & 65535)
        self.history[number] += bonus - (self.history[number] * abs(bonus) >> HISTORY_BITS)
