"""Lines of play: legal, and as long as their iteration is deep, unless they end the game."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.position import Position
from engine.registry import VARIANTS
from engine.search import Iteration, Limits, Search, is_decided, plies_to_end
from engine.search.iteration import ScoredLine
from engine.source import is_compiled
from tests.engine.search.minimax import positions

NAMES = sorted(VARIANTS)
COUNT = 40
"""Positions of each game, of all stages."""
IN_PYTHON = 3
"""The same in plain Python."""
NODES = 5_000


def follow(position: Position, line: ScoredLine) -> Position:
    """The position that a line leads to; every action of it is legal."""
    reached = position.copy()
    for action in line.actions:
        assert reached.is_legal(action)
        reached.play(action)
    return reached


def iterations(name: str, lines: int, nodes: int) -> Iterator[tuple[Position, Iteration]]:
    """The iterations of searches of many positions."""
    compiled = is_compiled(type(VARIANTS[name].start()))
    for seed, position in enumerate(positions(name, COUNT if compiled else IN_PYTHON, seed=77)):
        search = Search(VARIANTS[name], table_mebibytes=1, seed=seed)
        for iteration in search.iterate(position, Limits(nodes=nodes), lines=lines):
            yield position, iteration


@pytest.mark.parametrize("lines", [1, 3])
@pytest.mark.parametrize("name", NAMES)
def test_a_line_is_as_long_as_its_iteration_is_deep(name: str, lines: int) -> None:
    deepest = 0
    for position, iteration in iterations(name, lines, NODES):
        for line in iteration.lines:
            over = follow(position, line).outcome() is not None
            if not iteration.complete:
                continue
            deepest = max(deepest, iteration.depth)
            assert over or len(line.actions) >= iteration.depth
            if is_decided(line.score) and plies_to_end(line.score) <= iteration.depth:
                assert over
                assert len(line.actions) == plies_to_end(line.score)
    assert deepest >= 3


def test_a_line_that_is_cut_off_is_continued() -> None:
    """Where a search is stopped on a score beyond its window, by what the table knows."""
    name = "katruji"
    lengths = []
    for nodes in range(1_000, 1_400, 100):
        for position, iteration in iterations(name, 1, nodes):
            if not iteration.complete:
                (line,) = iteration.lines
                over = follow(position, line).outcome() is not None
                lengths.append(over or len(line.actions) >= iteration.depth - 1)
    assert all(lengths)
