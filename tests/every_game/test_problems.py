"""The search finds forced wins of known length, and exhaustive search confirms them."""

from __future__ import annotations

import pytest

from benchmarks.problems import FOLDER, PLAN, Problem, Solver, read_problems
from engine.registry import VARIANTS
from engine.search import WIN, Limits, Search
from engine.source import is_compiled
from notation.registry import find_dialect
from tests.games import NAMES

LEAST = 30
"""Minimum number of problems per game; Kerd Draft, a variant of Kerd, is exempt."""
MOST_NODES = 2_000_000
SHORT = 3
"""Maximum plies of the problems that are solved exhaustively, and of those for plain Python."""
SAMPLED = 4
"""Plain Python solves one problem in this many."""


def problems(variant: str) -> list[Problem]:
    return read_problems((FOLDER / f"{variant}.txt").read_text("ascii").splitlines())


def short(variant: str) -> list[Problem]:
    return [problem for problem in problems(variant) if problem.plies <= SHORT]


def compiled(variant: str) -> bool:
    return is_compiled(type(VARIANTS[variant].start()))


def solved(variant: str, problem: Problem) -> tuple[str, int] | None:
    """The first winning action that the search finds, and in how many plies it wins."""
    texts = find_dialect(variant)
    position = texts.read_fen(problem.fen)
    for iteration in Search(VARIANTS[variant]).iterate(position, Limits(nodes=MOST_NODES)):
        best = iteration.lines[0]
        if best.score >= WIN - problem.plies:
            return texts.coordinate(best.actions[0]), WIN - best.score
    return None


@pytest.mark.parametrize("variant", NAMES)
def test_every_problem_is_solved(variant: str) -> None:
    chosen = problems(variant) if compiled(variant) else short(variant)[::SAMPLED]
    assert chosen
    for problem in chosen:
        found = solved(variant, problem)
        assert found is not None, problem
        action, plies = found
        assert plies == problem.plies, problem
        assert action in problem.actions, problem


@pytest.mark.parametrize("variant", NAMES)
def test_the_problems_are_what_exhaustive_search_makes_of_them(variant: str) -> None:
    texts = find_dialect(variant)
    chosen = short(variant)[:: 1 if compiled(variant) else SAMPLED]
    assert chosen
    for problem in chosen:
        solution = Solver(texts.read_fen(problem.fen)).solve(problem.plies)
        assert solution is not None, problem
        plies, actions = solution
        assert plies == problem.plies
        assert tuple(map(texts.coordinate, actions)) == problem.actions


@pytest.mark.parametrize("variant", NAMES)
def test_the_files_hold_what_is_planned(variant: str) -> None:
    counts = dict.fromkeys(PLAN[variant], 0)
    for problem in problems(variant):
        counts[problem.plies] += 1
    assert counts == PLAN[variant]
    assert variant == "kerd-draft" or sum(counts.values()) >= LEAST
    assert len({problem.fen for problem in problems(variant)}) == sum(counts.values())


def test_there_is_a_file_for_each_variant() -> None:
    assert sorted(path.stem for path in FOLDER.iterdir()) == NAMES


@pytest.mark.parametrize("line", ["x a1b2 fen", "3 a1b2", ""])
def test_other_lines_are_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_problems([line])
