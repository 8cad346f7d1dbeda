"""Lines of play are legal, and as long as their iteration is deep unless they end the game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from benchmarks.problems import FOLDER, read_problems
from engine.position import Position
from engine.registry import VARIANTS
from engine.search import WIN, Iteration, Limits, Search, is_decided, plies_to_end
from engine.search.completion import complete_lines
from engine.search.iteration import ScoredLine
from engine.source import is_compiled
from notation.registry import find_dialect
from tests.engine.search.minimax import positions

NAMES = sorted(VARIANTS)
COMPILED = is_compiled(type(VARIANTS["katruji"].start()))
COUNT = 40
"""Positions of each game, from all its stages."""
IN_PYTHON = 3
"""The number for plain Python."""
NODES = 5_000


def follow(position: Position, line: ScoredLine) -> Position:
    """The position after a line, each action of which must be legal."""
    reached = position.copy()
    for action in line.actions:
        assert reached.is_legal(action)
        reached.play(action)
    return reached


def iterations(name: str, lines: int, nodes: int) -> Iterator[tuple[Position, Iteration]]:
    """Yield the iterations of searches from many positions."""
    for seed, position in enumerate(positions(name, COUNT if COMPILED else IN_PYTHON, seed=77)):
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
            assert over or len(line.actions) >= iteration.depth - (not iteration.complete)
            if not iteration.complete:
                continue
            deepest = max(deepest, iteration.depth)
            if is_decided(line.score) and plies_to_end(line.score) <= iteration.depth:
                assert over
                assert len(line.actions) == plies_to_end(line.score)
    assert deepest >= 3


def cut_off(name: str, seed: int) -> tuple[Search, Position, Iteration]:
    """A search and its last iteration, whose line is truncated to one action."""
    search = Search(VARIANTS[name], table_mebibytes=1, seed=seed)
    position = next(positions(name, 1, seed=seed))
    *_, last = search.iterate(position, Limits(depth=4 if COMPILED else 2))
    (line,) = last.lines
    return search, position, replace(last, lines=(replace(line, actions=line.actions[:1]),))


@pytest.mark.parametrize("forgotten", [False, True], ids=["known", "forgotten"])
@pytest.mark.parametrize("name", NAMES)
def test_a_line_that_is_cut_off_is_completed(name: str, forgotten: bool) -> None:
    """A truncated line is completed from the table or by a new search, the same way each time."""
    for seed in range(8 if COMPILED else 2):
        completed = []
        for _ in range(2):
            search, position, iteration = cut_off(name, seed)
            if forgotten:
                search.forget()
            (line,) = complete_lines(search, position, iteration).lines
            over = follow(position, line).outcome() is not None
            assert over or len(line.actions) >= iteration.depth
            completed.append(line.actions)
        assert completed[0] == completed[1]


@pytest.mark.parametrize("name", NAMES)
def test_the_table_gives_back_the_line_that_was_searched(name: str) -> None:
    again = 0
    for seed in range(8 if COMPILED else 2):
        search, position, iteration = cut_off(name, seed)
        *_, last = search.iterate(position, Limits(depth=iteration.depth))
        (line,) = complete_lines(search, position, iteration).lines
        again += line.actions[:2] == last.lines[0].actions[:2]
    assert again


@pytest.mark.parametrize("name", NAMES)
def test_a_won_line_is_completed_to_the_end_that_its_score_tells(name: str) -> None:
    problems = read_problems((FOLDER / f"{name}.txt").read_text("ascii").splitlines())
    problem = next(one for one in problems if one.plies == 3)
    position = find_dialect(name).read_fen(problem.fen)
    search = Search(VARIANTS[name], table_mebibytes=1)
    for found in search.iterate(position, Limits(nodes=2_000_000)):
        if found.lines[0].score == WIN - problem.plies:
            break
    (line,) = found.lines
    cut = replace(found, lines=(replace(line, actions=line.actions[:1]),))
    (line,) = complete_lines(search, position, cut).lines
    assert plies_to_end(line.score) == problem.plies == len(line.actions)
    assert follow(position, line).outcome() is not None
