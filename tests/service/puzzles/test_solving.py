"""How a try at a puzzle stands."""

from __future__ import annotations

import pytest

from notation.errors import TokenError
from service.puzzles.collection import load_collection
from service.puzzles.puzzle import Puzzle
from service.puzzles.solving import Standing, try_puzzle
from tests.service.puzzles.solvers import find_own

# South takes two points for one, and then has 18.
TWICE = Puzzle("katruji", "4/3O/4/3S/4/1O2/P3/4 s 16-9 - 0 1", None, ("b3d5",), ("yara",), 1000)


def test_every_puzzle_is_solved_by_its_line() -> None:
    for puzzle in load_collection().list_puzzles():
        own = find_own(puzzle)
        for count in range(len(own)):
            tried = try_puzzle(puzzle, own[:count])
            assert (tried.standing, tried.refused) == (Standing.OPEN, None)
            assert tried.position.side == tried.solver
        tried = try_puzzle(puzzle, own)
        assert tried.standing is Standing.SOLVED
        assert [*map(tried.dialect.coordinate, tried.played)] == [*puzzle.line]


def test_a_wrong_action_is_taken_back_and_what_follows_ignored() -> None:
    tried = try_puzzle(TWICE, ["Ob4", "Oxd5", "nonsense"])
    assert (tried.standing, tried.played) == (Standing.WRONG, [])
    assert tried.refused is not None
    assert tried.dialect.write_fen(tried.position) == TWICE.fen


def test_short_forms_are_read_and_what_is_behind_the_solution_ignored() -> None:
    tried = try_puzzle(TWICE, ["Oxd5", "Oxd5"])
    assert tried.standing is Standing.SOLVED
    assert len(tried.played) == 1


def test_whatever_wins_at_once_solves() -> None:
    other = Puzzle("katruji", TWICE.fen, None, ("b3b6",), (), 1000)
    tried = try_puzzle(other, ["Oxd5"])
    assert tried.standing is Standing.SOLVED
    assert [*map(tried.dialect.coordinate, tried.played)] == ["b3d5"]


def test_what_is_no_action_is_refused() -> None:
    for text in ("Oa8", "nonsense", "9" * 100, "Alka"):
        with pytest.raises(TokenError):
            try_puzzle(TWICE, [text])
