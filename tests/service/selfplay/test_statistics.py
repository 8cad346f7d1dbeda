"""What results prove, checked against published figures."""

from __future__ import annotations

from math import inf
from random import Random

import pytest

from service.selfplay.statistics import (
    BOUND,
    RESULTS,
    SequentialTest,
    count_pairs,
    elo,
    limit_by_likelihood,
    limit_by_wilson,
    score,
    share,
)


def test_published_limits_of_successes_are_found() -> None:
    # Wilson's interval for 8 successes in 10 trials, and that of the likelihood ratio.
    pairs = [1.0] * 8 + [0.0] * 2
    assert limit_by_wilson(pairs) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert limit_by_likelihood(pairs) == pytest.approx((0.5006, 0.9636), abs=2e-3)
    estimate = score(pairs)
    assert estimate.value == pytest.approx(0.8)
    assert (estimate.low, estimate.high) == (
        limit_by_wilson(pairs)[0],
        limit_by_likelihood(pairs)[1],
    )


@pytest.mark.parametrize(
    "chances",
    [
        pytest.param([0, 0, 0.1, 0.2, 0.7], id="much stronger"),
        pytest.param([0, 0, 0.05, 0.1, 0.85], id="far stronger"),
        pytest.param([0.03, 0.05, 0.25, 0.05, 0.62], id="stronger"),
        pytest.param([0.1, 0.2, 0.4, 0.2, 0.1], id="equal"),
    ],
)
@pytest.mark.parametrize("count", [20, 50])
def test_the_true_share_is_seldom_outside_the_limits(chances: list[float], count: int) -> None:
    random = Random(1)
    true = sum(chance * result for chance, result in zip(chances, RESULTS, strict=True))
    matches = [score(random.choices(RESULTS, chances, k=count)) for _ in range(120)]
    for missed in (
        sum(one.low > true + 1e-9 for one in matches),
        sum(one.high < true - 1e-9 for one in matches),
    ):
        assert missed <= 0.025 * 120 + 5  # three standard deviations more


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


@pytest.mark.parametrize(
    ("counts", "lower", "upper", "ratio"),
    [
        ([10789, 19328, 33806, 19402, 10543], -3, 1, 2.131068),
        ([1187, 7410, 13475, 7378, 1164], -3, 1, 2.861527),
        ([39, 2226, 31451, 2412, 40], 0.2, 0.9, 2.162543),
        ([0, 0, 0, 0, 12], 0, 50, 1.603349),
        ([0, 0, 40, 0, 40], 0, 50, 10.687055),
    ],
)
def test_ratios_are_those_of_fishtest(
    counts: list[int], lower: float, upper: float, ratio: float
) -> None:
    """The first three are samples in fishtest's sources, which call the ratio LLR_logistic."""
    pairs = pairs_of(counts)
    assert count_pairs(pairs) == tuple(counts)
    assert SequentialTest(lower, upper).ratio(pairs) == pytest.approx(ratio, abs=1e-6)
    mirrored = SequentialTest(-upper, -lower).ratio(pairs_of(counts[::-1]))
    assert mirrored == pytest.approx(-ratio, abs=1e-6)


def test_the_limits_of_a_long_match_are_those_of_fishtest() -> None:
    # fishtest's function get_elo gives -0.77 ± 1.28.
    estimate = score(pairs_of([10789, 19328, 33806, 19402, 10543]))
    assert elo(estimate.value) == pytest.approx(-0.7736, abs=1e-3)
    assert (elo(estimate.high) - elo(estimate.low)) / 2 == pytest.approx(1.2776, abs=1e-3)


def test_the_sequential_test_accepts_what_the_results_show() -> None:
    test = SequentialTest(0, 50)
    assert test.ratio([]) == 0
    assert test.verdict([1.0] * 12) is None
    assert test.verdict([1.0] * 24) == "upper"
    assert test.verdict([1.0, 0.5]) is None
    better, equal = [1.0, 0.5] * 40, [0.5, 0.25, 0.75, 0.5] * 40
    assert test.verdict(better) == "upper"
    assert test.verdict(equal) == "lower"
    assert test.ratio(better) > BOUND
    assert test.ratio(equal) == pytest.approx(-SequentialTest(-50, 0).ratio(equal))


@pytest.mark.parametrize("true", [0, 120])
def test_the_sequential_test_errs_as_seldom_as_it_says(true: int) -> None:
    """Of 40 matches with a true difference of either hypothesis, few are decided wrongly."""
    random = Random(true)
    test = SequentialTest(0, 120)
    wrong = sum(
        play_until_accepted(test, share(true), random) != ("upper" if true else "lower")
        for _ in range(40)
    )
    assert wrong <= 0.05 * 40 + 4  # three standard deviations more


def play_until_accepted(test: SequentialTest, expected: float, random: Random) -> str:
    pairs: list[float] = []
    while (verdict := test.verdict(pairs)) is None:
        pairs.append(sum(random.random() < expected for _ in range(2)) / 2)
    return verdict


def pairs_of(counts: list[int]) -> list[float]:
    return [result for result, number in zip(RESULTS, counts, strict=True) for _ in range(number)]
