"""Quadrille: a King and three Pawns per side, on four by four squares."""

from __future__ import annotations

from typing import Final

from engine.outcome import Termination
from engine.search.techniques import Techniques
from engine.variant import Variant
from tests.fifth_game.kernel import start
from tests.fifth_game.tree import SCALE, QuadrilleTree

QUADRILLE: Final = Variant(
    name="quadrille",
    sides=("White", "Black"),
    rules="1",
    start=start,
    terminations=frozenset({Termination.KING_CAPTURED, Termination.STALEMATE}),
    counts_points=False,
    tree=QuadrilleTree,
    techniques=Techniques(null_move=False),
    scale=SCALE,
)
