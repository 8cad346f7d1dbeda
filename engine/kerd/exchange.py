"""Exchanges in Kerd and Kerd Draft (`engine.exchange`); compiled with `exchange.pxd`."""

from __future__ import annotations

from typing import Final

from engine.exchange import Exchanges
from engine.kerd import terms
from engine.kerd.attacks import is_attacked
from engine.kerd.board import KIND, KING
from engine.kerd.state import State
from engine.kerd.tree import KerdTree

WORTH: Final = list(terms.WORTH)


class KerdExchanges(Exchanges):
    """See `engine.exchange.Exchanges`."""

    def __init__(self, tree: KerdTree, margin: int) -> None:
        super().__init__(tree, margin)
        self.tree = tree
        self.state: State = self.tree.state

    def loses(self, move: int) -> bool:
        """Whether a piece takes a lesser one that is defended; promotions and reveals never lose.

        Defenders whose line is blocked by the capturing piece are overlooked. Taking the King
        wins the game.
        """
        if move >> 16:
            return False
        state = self.state
        target = (move >> 8) & 255
        taken = state.board[target] & KIND
        loss = WORTH[state.board[move & 255] & KIND] - WORTH[taken]
        return taken != KING and loss > self.margin and is_attacked(state, target, 1 - state.side)
