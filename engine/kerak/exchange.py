"""Exchanges in Kerak (`engine.exchange`); compiled with `exchange.pxd`."""

from __future__ import annotations

from typing import Final

from engine.exchange import Exchanges
from engine.kerak import board as geometry
from engine.kerak import pieces as table
from engine.kerak.field import strength, supporters
from engine.kerak.kernel import Position
from engine.kerak.tree import KerakTree

CASTLE: Final = int(table.PieceKind.CASTLE)
KIND: Final = table.KIND
BOTH: Final = table.RED | table.BLUE
WORTH: Final = [100 * value for value in table.VALUE] + [0]
STRENGTH: Final = [*table.STRENGTH, 0]
BIT: Final = list(geometry.BIT)
NEXT_TO: Final = list(geometry.NEXT_TO)
WITHIN_TWO: Final = list(geometry.WITHIN_TWO)


class KerakExchanges(Exchanges):
    """See `engine.exchange.Exchanges`."""

    def __init__(self, tree: KerakTree, margin: int) -> None:
        super().__init__(tree, margin)
        self.tree = tree
        self.position: Position = self.tree.position

    def loses(self, move: int) -> bool:
        """Whether a piece takes a lesser one beside enemies that together are as strong as it is.

        Whatever supports it on its new space is added to its strength. Enemies that come from
        farther away are overlooked. Taking the Castle wins the game, and taking the last captor may
        (Ruling R17), if the side that takes has none.
        """
        if move >> 12:
            return False
        position = self.position
        origin, target = move >> 6, move & 63
        piece, taken = position.board[origin], position.board[target]
        loss = WORTH[piece & KIND] - WORTH[taken & KIND]
        if taken & KIND == CASTLE or loss <= self.margin:
            return False
        near, within_two = NEXT_TO[target], WITHIN_TWO[target]
        own, enemy = piece & BOTH, taken & BOTH
        if not position.movers(enemy) & near or not position.has_captor(own):
            return False
        attackers = supporters(position, enemy, near, within_two) & ~BIT[target]
        friends = supporters(position, own, near, within_two) & ~BIT[origin]
        defence = STRENGTH[piece & KIND] + strength(position, friends)
        return strength(position, attackers) >= defence
