"""The stack of nodes from the root to the current one; compiled with `stack.pxd`."""

from __future__ import annotations

from collections.abc import Callable


class SearchStack:
    """The data of each node on the way, by ply, and how many nodes there were.

    `first` is where a node's moves begin on the tree's own stack, `moves` the move made there (0
    for a null move), and `evaluations` the static evaluation as the first side sees it. `line` and
    `length` are the principal variations (a triangular table, 66 moves a ply). `nodes` counts the
    nodes entered, `selective_depth` is the greatest ply among them. After `next_poll` nodes, `poll`
    is called with their number; it returns the number at which to call it next, or raises to end
    the search.
    """

    def __init__(self, poll: Callable[[int], int]) -> None:
        self.poll = poll
        self.nodes: int = 0
        self.next_poll: int = 0
        self.selective_depth: int = 0
        self.first: list[int] = [0] * 66
        self.moves: list[int] = [0] * 66
        self.evaluations: list[int] = [0] * 66
        self.line: list[int] = [0] * 4290
        self.length: list[int] = [0] * 66

    def count_node(self, ply: int) -> None:
        """Count a node that was entered."""
        if ply > self.selective_depth:
            self.selective_depth = ply
        if self.nodes >= self.next_poll:
            self.next_poll = self.poll(self.nodes)
        self.nodes += 1

    def update_line(self, ply: int, move: int) -> None:
        """Set a node's principal variation: the move, then the variation of the next ply."""
        line = self.line
        at = ply * 66
        below = at + 66
        count = self.length[ply + 1]
        line[at] = move
        for i in range(count):
            line[at + 1 + i] = line[below + i]
        self.length[ply] = count + 1

    def principal_variation(self, ply: int) -> list[int]:
        """The principal variation of the last node searched at a ply."""
        return [self.line[66 * ply + i] for i in range(self.length[ply])]
