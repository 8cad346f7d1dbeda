"""What a capture gains or loses once the opponent takes back; used beside `engine.tree`.

A game in which pieces are worth more or less than what they take derives a class from `Exchanges`.
Compiled with `exchange.pxd`.
"""

from __future__ import annotations

from engine.tree import Tree


class Exchanges:
    """The exchanges at a tree's node; a move that loses more than `margin` hundredths loses."""

    def __init__(self, tree: Tree, margin: int) -> None:
        self.margin: int = margin

    def loses(self, move: int) -> bool:
        """Whether a move that is not quiet is likely to lose more than it takes."""
        return False
