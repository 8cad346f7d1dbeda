"""Delta pruning passes over captures that gain too little, by the margin of a game's parameters."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.position import Position
from engine.registry import VARIANTS
from engine.search import Limits, Search
from engine.search.parameters import NEVER
from tests.engine.search.minimax import positions

DEPTH = 2


def count_nodes(name: str, position: Position, *, delta: bool, margin: int) -> int:
    variant = VARIANTS[name]
    search = Search(
        variant,
        table_mebibytes=1,
        techniques=replace(variant.techniques, delta=delta),
        parameters=variant.parameters.with_value("delta_margin", margin),
    )
    *_, last = search.iterate(position, Limits(depth=DEPTH))
    return last.nodes


@pytest.mark.parametrize("name", VARIANTS)
def test_a_margin_that_nothing_exceeds_prunes_nothing(name: str) -> None:
    some = list(positions(name, 5, 11))
    without = [count_nodes(name, one, delta=False, margin=0) for one in some]
    assert [count_nodes(name, one, delta=True, margin=NEVER) for one in some] == without
    assert sum(count_nodes(name, one, delta=True, margin=0) for one in some) < sum(without)
