"""A null move proves a bound, and never that the game is decided."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.registry import VARIANTS
from engine.search import PLAIN, Parameters, Techniques, is_decided
from engine.search.alphabeta import AlphaBeta
from engine.search.parameters import NEVER
from engine.search.table import TranspositionTable
from tests.engine.kerd_support import DRAFT, action, at

NULL_MOVE = replace(PLAIN, null_move=True)
LESS_DEEP = Parameters(null_move_margin=NEVER)
"""Reduces the null move's depth so little that its search sees the King captured."""


def searched(techniques: Techniques, depth: int) -> int:
    """The score of a11a12 for Black in a window below 0.

    After a12, the King is captured wherever it goes, so White, to act, could just as well pass.
    """
    position = at("Kl1 ka11 Tl11 Qb5", "b", infiltrators="-/-", checked=1, number=40, dialect=DRAFT)
    variant, table = VARIANTS["kerd-draft"], TranspositionTable(1)
    tree = variant.tree(position)
    alphabeta = AlphaBeta(
        tree, variant.exchanges(tree, 0), table, techniques, LESS_DEEP, lambda _: 10**9
    )
    return alphabeta.search_root_move(action(position, "a11a12"), 1, depth, -1, 0)


@pytest.mark.parametrize("depth", [6, 7])
def test_a_null_move_never_decides_the_game(depth: int) -> None:
    score = searched(NULL_MOVE, depth)
    assert score < -20_000, "it does see that Black is lost"
    assert not is_decided(score)
    assert is_decided(searched(PLAIN, depth))
