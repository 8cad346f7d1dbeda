"""Outcomes and the tie-break by points."""

from __future__ import annotations

import pytest

from engine.outcome import Outcome, Termination, decide_by_points
from engine.side import Side

DRAW = Outcome(None, Termination.AGREEMENT)


@pytest.mark.parametrize(
    ("winner", "result"), [(Side.FIRST, "1-0"), (Side.SECOND, "0-1"), (None, "1/2-1/2")]
)
def test_results_are_written_for_the_first_side(winner: Side | None, result: str) -> None:
    assert Outcome(winner, Termination.RESIGNATION).result == result


@pytest.mark.parametrize(("points", "winner"), [((5, 3), Side.FIRST), ((3, 5), Side.SECOND)])
def test_a_draw_goes_to_the_side_with_more_points(points: tuple[int, int], winner: Side) -> None:
    assert decide_by_points(DRAW, points) == Outcome(winner, Termination.POINTS)


def test_a_draw_at_equal_points_stays_a_draw() -> None:
    assert decide_by_points(DRAW, (4, 4)) is DRAW


def test_a_won_game_is_not_decided_by_points() -> None:
    won = Outcome(Side.FIRST, Termination.CASTLE_CAPTURED)
    assert decide_by_points(won, (0, 9)) is won


def test_each_side_is_the_others_other() -> None:
    assert [side.other for side in Side] == [Side.SECOND, Side.FIRST]
