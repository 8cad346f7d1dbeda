from __future__ import annotations

from dataclasses import astuple
from math import exp, log, pi, sqrt
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from service.rating.glicko2 import LEAST, MOST, MOST_VOLATILE, RatedGame, Rating, rate_period

PLAYERS = ["ada", "bea", "cyd", "dan"]


def test_the_worked_example_of_glickmans_paper() -> None:
    ratings = {
        "player": Rating(1500, 200, 0.06),
        "one": Rating(1400, 30, 0.06),
        "two": Rating(1550, 100, 0.06),
        "three": Rating(1700, 300, 0.06),
    }
    games = [
        RatedGame("1", "player", "one", 1),
        RatedGame("2", "two", "player", 1),
        RatedGame("3", "player", "three", 0),
    ]
    after = rate_period(ratings, games)["player"]
    assert after.rating == pytest.approx(1464.06, abs=0.02)
    assert after.deviation == pytest.approx(151.52, abs=0.01)
    assert after.volatility == pytest.approx(0.05999, abs=0.00001)


def test_who_does_not_play_grows_less_certain() -> None:
    after = rate_period({"idle": Rating(1600, 50, 0.06)}, [])["idle"]
    assert (after.rating, after.volatility) == (1600, 0.06)
    assert after.deviation == pytest.approx((50**2 + (0.06 * 173.7178) ** 2) ** 0.5)


def test_a_great_surprise_makes_volatile() -> None:
    ratings = {"low": Rating(1200, 30, 0.06), "high": Rating(2200, 30, 0.06)}
    games = [RatedGame(str(number), "low", "high", 1) for number in range(20)]
    assert rate_period(ratings, games)["low"].volatility > 0.065


def test_two_who_lose_to_each_other_on_purpose_lead_nowhere() -> None:
    """Without bounds, the last period ended with an OverflowError or a division by zero."""
    ratings: dict[str, Rating] = {}
    for lost, games in (("dan", 50), ("ada", 50), ("dan", 1), ("ada", 3000), ("dan", 1)):
        won = "ada" if lost == "dan" else "dan"
        played = [RatedGame(f"{number:04}", won, lost, 1) for number in range(games)]
        ratings = rate_period(ratings, played)
        for each in ratings.values():
            assert LEAST <= each.rating <= MOST
            assert 0 < each.volatility <= MOST_VOLATILE
            assert 0 < each.deviation < 350


def test_ratings_from_beyond_the_bounds_can_be_computed_with() -> None:
    """They may be in the tables of an earlier version."""
    beyond = {"ada": Rating(48_204, 300, 27.3), "dan": Rating(-45_204, 300, 27.3)}
    after = rate_period(beyond, [RatedGame("a", "ada", "dan", 0)])
    assert after["dan"].rating > LEAST
    assert after["ada"].rating < MOST


games_of_a_period = st.lists(
    st.tuples(st.permutations(PLAYERS), st.sampled_from([0.0, 0.5, 1.0])), max_size=12
).map(
    lambda drawn: [
        RatedGame(f"g{at:02}", players[0], players[1], score)
        for at, (players, score) in enumerate(drawn)
    ]
)


@settings(max_examples=50)
@given(games_of_a_period, st.randoms(use_true_random=False))
def test_no_order_of_games_matters_to_the_last_bit(games: list[RatedGame], random: Random) -> None:
    other = random.sample(games, len(games))
    assert rate_period({}, games) == rate_period({}, other)


@settings(max_examples=50)
@given(games_of_a_period, st.integers(-800, 800))
def test_the_zero_of_the_scale_matters_to_nothing(games: list[RatedGame], shift: int) -> None:
    here = rate_period({player: Rating(1500, 120) for player in PLAYERS}, games)
    there = rate_period({player: Rating(1500 + shift, 120) for player in PLAYERS}, games)
    for player in PLAYERS:
        expected = (here[player].rating + shift, here[player].deviation, here[player].volatility)
        assert astuple(there[player]) == pytest.approx(expected)


@settings(max_examples=50)
@given(games_of_a_period)
def test_the_sides_matter_to_nothing(games: list[RatedGame]) -> None:
    turned = [RatedGame(each.id, each.second, each.first, 1 - each.score) for each in games]
    assert rate_period({}, turned) == rate_period({}, games)


def test_a_deviation_grows_in_every_period_without_games() -> None:
    after_one = rate_period({}, [RatedGame("a", "ada", "bea", 1)])
    after_two = rate_period(after_one, [RatedGame("b", "ada", "cyd", 0.5)])
    after_three = rate_period(after_two, [])
    assert set(after_one) == {"ada", "bea"}
    assert set(after_two) == set(after_three) == {"ada", "bea", "cyd"}
    bea = [period["bea"] for period in (after_one, after_two, after_three)]
    assert bea[0].rating < 1500
    assert bea[0].deviation < bea[1].deviation < bea[2].deviation


def true_volatility(player: Rating, opponents: list[Rating], scores: list[float]) -> float:
    """Step 5 of the paper by bisection, exact to the last bit of a float."""
    scale, tau = 173.7178, 0.5
    variance = improvement = 0.0
    for opponent, score in zip(opponents, scores, strict=True):
        g = 1 / sqrt(1 + 3 * (opponent.deviation / scale) ** 2 / pi**2)
        expected = 1 / (1 + exp(-g * (player.rating - opponent.rating) / scale))
        variance += g**2 * expected * (1 - expected)
        improvement += g * (score - expected)
    improvement /= variance
    known = (player.deviation / scale) ** 2 + 1 / variance

    def f(x: float) -> float:
        tension = (x - log(player.volatility**2)) / tau**2
        return exp(x) * (improvement**2 - known - exp(x)) / (2 * (known + exp(x)) ** 2) - tension

    low, high = log(player.volatility**2) - 20, log(player.volatility**2) + 20
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) > 0 else (low, middle)
    return exp(low / 2)


def test_volatilities_are_as_exact_as_the_paper_asks() -> None:
    """The paper's ε of 0.000001 is for the logarithm of the squared volatility."""
    random = Random(2022)
    worst = 0.0
    for _ in range(400):
        drawn = [
            Rating(random.gauss(1500, 300), random.uniform(30, 350), random.uniform(0.03, 0.2))
            for _ in range(random.randint(2, 8))
        ]
        player, opponents = drawn[0], drawn[1:]
        scores = [random.choice([0.0, 0.5, 1.0]) for _ in opponents]
        games = [RatedGame(str(n), "p", f"o{n}", score) for n, score in enumerate(scores)]
        ratings = {"p": player} | {f"o{n}": one for n, one in enumerate(opponents)}
        found = rate_period(ratings, games)["p"].volatility
        worst = max(worst, abs(2 * log(found / true_volatility(player, opponents, scores))))
    assert 1e-8 < worst <= 1e-6
