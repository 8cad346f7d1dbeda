"""What results prove, against figures known from elsewhere."""

from __future__ import annotations

from math import inf

import pytest

from service.selfplay.statistics import BOUND, SequentialTest, elo, score, share


def test_limits_are_wilson_s_where_pairs_are_won_or_lost() -> None:
    # Wilson's interval of 8 successes in 10 trials.
    estimate = score([1.0] * 8 + [0.0] * 2)
    assert estimate.value == pytest.approx(0.8)
    assert estimate.low == pytest.approx(0.4902, abs=1e-4)
    assert estimate.high == pytest.approx(0.9433, abs=1e-4)


def test_limits_hold_where_everything_was_won() -> None:
    estimate = score([1.0] * 20)
    assert (estimate.value, estimate.high) == (1.0, 1.0)
    assert estimate.low == pytest.approx(1 / (1 + 1.959964**2 / 20))


def test_pairs_that_differ_less_have_closer_limits() -> None:
    wild, tame = score([1.0, 0.0] * 20), score([0.5] * 40)
    assert wild.low < tame.low < 0.5 < tame.high < wild.high


@pytest.mark.parametrize(("points", "difference"), [(0.5, 0), (0.64, 100), (0.76, 200)])
def test_elo_differences_are_the_usual_ones(points: float, difference: int) -> None:
    assert elo(points) == pytest.approx(difference, abs=1)
    assert share(difference) == pytest.approx(points, abs=0.002)
    assert elo(1 - points) == pytest.approx(-elo(points))


def test_elo_of_a_clean_sweep_is_infinite() -> None:
    assert (elo(1.0), elo(0.0)) == (inf, -inf)


def test_the_sequential_test_accepts_what_the_results_show() -> None:
    test = SequentialTest(0, 50)
    assert test.ratio([]) == 0
    assert test.verdict([1.0] * 12) == "upper"
    assert test.verdict([1.0, 0.5]) is None
    better, equal = [1.0, 0.5] * 40, [0.5, 0.25, 0.75, 0.5] * 40
    assert test.verdict(better) == "upper"
    assert test.verdict(equal) == "lower"
    assert test.ratio(better) > BOUND
    assert test.ratio(equal) == pytest.approx(-SequentialTest(-50, 0).ratio(equal))
