"""What lines are worth over worlds, from what was found in each."""

from __future__ import annotations

import pytest

from engine.kerd import KERD
from engine.position import Action
from engine.search import WIN, ScoredLine, winning_chance
from engine.search.world_comparison import SUREST, WorldComparison, WorldFinding
from engine.world import World

ONE, TWO, REVEAL = Action(1), Action(2), Action(3)
LINES = (ScoredLine(300, (ONE,)), ScoredLine(200, (TWO,)))


def chance(score: int) -> float:
    return winning_chance(KERD, score)


@pytest.fixture
def comparison() -> WorldComparison:
    """Two worlds, the second one three times as likely, of which nothing is known."""
    worlds = [World(KERD.start(), 0.25), World(KERD.start(), 0.75)]
    return WorldComparison(KERD, worlds, {ONE, TWO})


def found(
    one: int, two: int | None = None, *, best: Action = ONE, score: int | None = None
) -> WorldFinding:
    """What a search of a world to depth 1 found; the best action's score is `one` unless given."""
    scores = {ONE: one} if two is None else {ONE: one, TWO: two}
    return WorldFinding(1, scores, ScoredLine(one if score is None else score, (best,)))


def test_without_any_finding_lines_have_the_plain_scores(comparison: WorldComparison) -> None:
    first, second = comparison.judge_lines(LINES)
    assert (first.score, first.lowest, first.highest, first.share) == (300, 300, 300, 1.0)
    assert (second.score, second.actions, second.share) == (200, (TWO,), 0.0)
    assert comparison.judge_position(LINES) == 300


def test_a_score_is_shifted_by_what_differs_in_the_worlds(comparison: WorldComparison) -> None:
    comparison.plain[1] = found(100, 100)
    comparison.found[0] = found(-800, 100, best=TWO, score=100)
    comparison.found[1] = found(100, 100)
    first, second = comparison.judge_lines(LINES)
    shift = chance(-800) - chance(100)
    assert chance(first.score) == pytest.approx(chance(300) + 0.25 * shift, abs=1e-3)
    assert chance(first.lowest) == pytest.approx(chance(300) + shift, abs=1e-3)
    assert first.highest == 300
    assert (first.share, second.share) == (0.75, 0.25)
    assert second.score == 200
    assert comparison.judge_position(LINES) == first.score


def test_an_action_that_was_not_compared_is_shifted_as_the_others(
    comparison: WorldComparison,
) -> None:
    comparison.plain[1] = found(100)
    comparison.found = {0: found(0), 1: found(0)}
    _, second = comparison.judge_lines(LINES)
    expected = chance(200) + chance(0) - chance(100)
    assert chance(second.score) == pytest.approx(expected, abs=1e-3)


def test_what_a_shallow_search_prefers_everywhere_beats_no_line(
    comparison: WorldComparison,
) -> None:
    """The deep search knows better; only a lead that the plain world has not counts."""
    other = Action(4)
    comparison.plain[1] = found(100, best=other, score=250)
    comparison.found[0] = found(100, best=other, score=250)
    comparison.found[1] = found(100, best=other, score=400)
    (line,) = comparison.judge_lines(LINES[:1])
    assert (line.score, line.share) == (300, 0.25)


def test_scores_of_different_depths_are_not_compared(comparison: WorldComparison) -> None:
    comparison.plain[2] = found(100)
    comparison.found = {0: found(-900), 1: found(-900)}
    assert comparison.judge_lines(LINES)[0].score == 300


def test_a_game_is_decided_if_it_is_in_every_world(comparison: WorldComparison) -> None:
    comparison.plain[1] = found(WIN - 1)
    comparison.found = {0: found(WIN - 3), 1: found(WIN - 1)}
    won = (ScoredLine(WIN - 1, (ONE,)),)
    (line,) = comparison.judge_lines(won)
    assert (line.score, line.lowest, line.highest) == (WIN - 3, WIN - 3, WIN - 1)
    assert comparison.judge_position(won) == WIN - 3


def test_a_win_in_the_plain_world_is_not_one_in_every_other(comparison: WorldComparison) -> None:
    won = (ScoredLine(WIN - 1, (ONE,)),)
    (line,) = comparison.judge_lines(won)
    assert chance(line.score) == pytest.approx(SUREST, abs=1e-4)
    comparison.plain[1] = found(WIN - 1)
    comparison.found = {0: found(2 - WIN), 1: found(WIN - 1)}
    (line,) = comparison.judge_lines(won)
    assert (line.lowest, line.highest) == (2 - WIN, WIN - 1)
    assert chance(line.score) == pytest.approx(0.75, abs=1e-3)


def test_a_hidden_action_counts_in_the_position_alone(comparison: WorldComparison) -> None:
    comparison.plain[1] = found(100, 50)
    comparison.found[0] = found(100, 50, best=REVEAL, score=700)
    comparison.found[1] = found(100, 50)
    first, _ = comparison.judge_lines(LINES)
    assert (first.score, first.share) == (300, 0.75)
    gain = chance(700) - chance(100)
    expected = 0.25 * min(SUREST, chance(300) + gain) + 0.75 * chance(300)
    assert chance(comparison.judge_position(LINES)) == pytest.approx(expected, abs=1e-3)


def test_without_lines_the_position_has_a_score(comparison: WorldComparison) -> None:
    comparison.found[1] = WorldFinding(1, {}, ScoredLine(400, (REVEAL,)))
    (line,) = comparison.judge_lines(())
    assert (line.score, line.actions, line.share) == (400, (), 1.0)
    assert comparison.judge_position(()) == 400
    comparison.found[0] = WorldFinding(1, {}, ScoredLine(-400, (REVEAL,)))
    assert chance(comparison.judge_position(())) == pytest.approx(
        0.75 * chance(400) + 0.25 * chance(-400), abs=1e-3
    )
