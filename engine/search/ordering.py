"""In which order a node's actions are tried; compiled with `ordering.pxd`.

First what the table knows of the node, then what is not quiet by its promise, then the quiet
actions that refuted other nodes: killers those of the same ply, history all over the tree.
"""

from __future__ import annotations

from typing import Final

from engine.search.techniques import Techniques
from engine.tree import Tree

KNOWN: Final = 1 << 30
NOISY: Final = 1 << 26
KILLER: Final = 1 << 25
TRUSTED: Final = 1 << 14  # history numbers stay below


class Ordering:
    """The order of a tree's actions, beside them on its stack, and what refuted its nodes."""

    def __init__(self, tree: Tree, techniques: Techniques) -> None:
        self.tree = tree
        self.uses_killers: int = int(techniques.killers)
        self.uses_history: int = int(techniques.history)
        self.killers: list[int] = [0] * 130
        self.history: list[int] = [0] * 131072
        self.order: list[int] = [0] * 65536

    def rank(self, first: int, last: int, known: int) -> None:
        """Say in which order a node's actions are to be tried."""
        tree = self.tree
        order = self.order
        killers = 2 * tree.ply
        side = tree.side << 16
        for i in range(first, last):
            action = tree.found[i]
            promise = tree.promise[i]
            if action == known:
                order[i] = KNOWN
            elif promise > 0:
                order[i] = NOISY + promise
            elif action == self.killers[killers]:
                order[i] = KILLER
            elif action == self.killers[killers + 1]:
                order[i] = KILLER - 1
            else:
                order[i] = promise + self.history[side | (action & 65535)]

    def pick(self, at: int, last: int) -> None:
        """Bring the best of the actions from `at` on to that place; of equals the first found."""
        tree = self.tree
        order = self.order
        best = at
        for i in range(at + 1, last):
            if order[i] > order[best]:
                best = i
        if best != at:
            worth = order[best]
            action = tree.found[best]
            promise = tree.promise[best]
            order[best] = order[at]
            tree.found[best] = tree.found[at]
            tree.promise[best] = tree.promise[at]
            order[at] = worth
            tree.found[at] = action
            tree.promise[at] = promise

    def reward(self, action: int, quiet: int, depth: int) -> None:
        """Remember a quiet action that has refuted the node, and forget a little of the others."""
        if not quiet:
            return
        tree = self.tree
        if self.uses_killers:
            at = 2 * tree.ply
            if self.killers[at] != action:
                self.killers[at + 1] = self.killers[at]
                self.killers[at] = action
        if self.uses_history:
            number = tree.side << 16 | (action & 65535)
            weight = min(depth * depth, 400)
            self.history[number] += weight - (self.history[number] * weight) // TRUSTED
