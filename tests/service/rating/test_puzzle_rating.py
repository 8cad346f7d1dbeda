"""An attempt is a game between a player and a puzzle."""

from __future__ import annotations

import pytest

from service.rating.glicko2 import RatedGame, Rating, rate_period
from service.rating.puzzle_rating import ESTIMATE_DEVIATION, begin_puzzle, rate_attempt


@pytest.mark.parametrize("solved", [True, False])
def test_an_attempt_is_a_period_of_one_game(solved: bool) -> None:
    ada, puzzle = Rating(1620.0, 80.0, 0.05), begin_puzzle(1500)
    made = rate_attempt(ada, puzzle, solved=solved)
    game = RatedGame("any", "ada", "puzzle", float(solved))
    assert [*made] == [*rate_period({"ada": ada, "puzzle": puzzle}, [game]).values()]


def test_who_solves_gains_what_a_puzzle_loses_and_the_other_way_round() -> None:
    ada, puzzle = Rating(), begin_puzzle(1700)
    better, easier = rate_attempt(ada, puzzle, solved=True)
    worse, harder = rate_attempt(ada, puzzle, solved=False)
    assert worse.rating < ada.rating < better.rating
    assert easier.rating < puzzle.rating < harder.rating
    # A harder puzzle is worth more to those who solve it, and costs others less.
    much, _ = rate_attempt(ada, begin_puzzle(2100), solved=True)
    little, _ = rate_attempt(ada, begin_puzzle(2100), solved=False)
    assert much.rating > better.rating
    assert little.rating > worse.rating


def test_both_get_more_certain_and_a_puzzle_that_many_have_tried_hardly_moves() -> None:
    puzzle = begin_puzzle(1500)
    assert puzzle.deviation == ESTIMATE_DEVIATION
    moved = []
    for turn in range(40):
        ada, after = rate_attempt(Rating(), puzzle, solved=turn % 2 == 0)
        assert ada.deviation < Rating().deviation
        assert after.deviation < puzzle.deviation
        moved.append(abs(after.rating - puzzle.rating))
        puzzle = after
    assert moved[0] > 5 * moved[-1]
