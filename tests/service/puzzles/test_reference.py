"""The solutions of the puzzles that come with the service, checked by slow searches."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from engine.position import Action, Position
from engine.registry import VARIANTS, find_variant
from engine.search import Limits, Search, winning_chance
from notation.registry import find_dialect
from service.puzzles.collection import load_collection
from service.puzzles.finding import OTHERWISE, WINNING
from service.puzzles.puzzle import Puzzle
from service.puzzles.solving import wins_at_once
from tests.service.puzzles.reference import find_gap

DEPTH = 3
LEAST = 0.05
"""By how much the solution's winning chance must exceed that of every other action there."""
LONG = Limits(nodes=1_000_000)


def choose(variant: str, count: int) -> list[Puzzle]:
    return Random(variant).sample(list(load_collection().list_puzzles(variant)), count)


def solve(puzzle: Puzzle) -> Iterator[tuple[Position, Action]]:
    """Each position in which the solver acts, and its solution."""
    dialect = find_dialect(puzzle.variant)
    position = dialect.read_fen(puzzle.fen)
    solver = position.side
    for token in puzzle.line:
        action = dialect.resolve(position, token)
        if position.side == solver:
            yield position.copy(), action
        position.play(action)


def check(puzzle: Puzzle) -> None:
    variant = find_variant(puzzle.variant)
    exact = variant.techniques.without_pruning()
    search = Search(variant, table_mebibytes=64, techniques=exact)
    for position, solution in solve(puzzle):
        if wins_at_once(position, solution):
            continue  # Others may win later.
        told = f"{puzzle.id} {puzzle.to_line()}"
        gap = find_gap(variant, position.copy(), solution, DEPTH)
        assert gap >= LEAST, f"{told}: {gap:.3f}"
        search.forget()
        *_, last = search.iterate(position, LONG, lines=2)
        best, other = (winning_chance(variant, line.score) for line in last.lines)
        assert last.lines[0].actions[0] == solution, told
        assert best >= WINNING > OTHERWISE >= other, f"{told}: {best:.3f}, {other:.3f}"


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_no_other_action_wins(variant: str) -> None:
    for puzzle in choose(variant, 2):
        check(puzzle)


@pytest.mark.soak
@pytest.mark.parametrize("variant", VARIANTS)
def test_no_other_action_wins_in_a_hundred_puzzles(variant: str) -> None:
    for puzzle in choose(variant, 100):
        check(puzzle)
