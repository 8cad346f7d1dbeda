"""How uncertain a rating gets without games."""

from __future__ import annotations

from service.projection.rating_periods import idle
from service.rating.glicko2 import Rating, rate_period

REGULAR = Rating(1800.0, 60.0, 0.06)


def test_a_player_who_waits_gets_less_certain_with_each_period() -> None:
    assert idle(REGULAR, 0) == REGULAR
    deviations = [idle(REGULAR, periods).deviation for periods in range(5)]
    assert deviations == sorted(set(deviations))
    assert idle(REGULAR, 3) == idle(idle(REGULAR, 1), 2)


def test_each_period_without_a_game_is_rated_to_the_last_bit() -> None:
    rated = {"ann": REGULAR}
    for periods in range(1, 60):
        rated = rate_period(rated, ())
        assert idle(REGULAR, periods) == rated["ann"]


def test_nobody_is_less_certain_than_somebody_unrated() -> None:
    assert idle(REGULAR, 10_000) == Rating(1800.0, 350.0, 0.06)
    assert idle(Rating(), 520) == Rating()
