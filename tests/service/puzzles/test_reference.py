"""The solutions of the puzzles that come with the service, checked by a slow search."""

from __future__ import annotations

from random import Random

import pytest

from engine.registry import VARIANTS, find_variant
from notation.registry import find_dialect
from service.puzzles.collection import load_collection
from service.puzzles.puzzle import Puzzle
from tests.service.puzzles.reference import find_gap

DEPTH = 3
LEAST = 0.05
"""By how much the solution's winning chance must exceed that of every other action."""


def choose(variant: str, count: int) -> list[Puzzle]:
    return Random(variant).sample(list(load_collection().list_puzzles(variant)), count)


def check(puzzle: Puzzle) -> None:
    dialect = find_dialect(puzzle.variant)
    position = dialect.read_fen(puzzle.fen)
    solution = dialect.resolve(position, puzzle.line[0])
    gap = find_gap(find_variant(puzzle.variant), position, solution, DEPTH)
    assert gap >= LEAST, f"{puzzle.id} {puzzle.to_line()}: {gap:.3f}"


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_no_other_action_is_as_good_as_the_solution(variant: str) -> None:
    for puzzle in choose(variant, 2):
        check(puzzle)


@pytest.mark.soak
@pytest.mark.parametrize("variant", VARIANTS)
def test_no_other_action_is_as_good_in_a_hundred_puzzles(variant: str) -> None:
    for puzzle in choose(variant, 100):
        check(puzzle)
