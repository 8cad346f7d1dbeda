"""The Glicko-2 system, as in Mark Glickman's paper "Example of the Glicko-2 system" (2022).

The code is our own because no library is suitable: `glicko2` 2.1.0 puts the rating where step 5 of
the paper has the deviation, so that its volatility depends on where the scale has its zero; `skelo`
wraps it and rates game by game; `glicko2-py` has had a single release. Besides, sums here are taken
in the order of the games' ids, so that a rating is the same to the last bit however the games were
read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log, pi, sqrt
from typing import Final

SCALE: Final = 173.7178
"""Points of the displayed scale for one point of the paper's own."""

CENTRE: Final = 1500.0
TAU: Final = 0.5
"""How far volatilities may move in a period; the paper recommends 0.3 to 1.2."""

TOLERANCE: Final = 1e-6
LEAST: Final = 100.0
MOST: Final = 4000.0
"""The bounds of ratings.

The paper has none. But if a player loses dozens of games in a period to others a thousand points
below, which only happens on purpose, its step 5 gives volatilities above 20 and ratings above
40,000, by which nothing can be computed any more.
"""
MOST_VOLATILE: Final = 0.5
"""The highest volatility, for the same reason."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's strength: `rating` and its `deviation` in points, and its `volatility`.

    The defaults are an unrated player's.
    """

    rating: float = CENTRE
    deviation: float = 350.0
    volatility: float = 0.06


@dataclass(frozen=True, slots=True)
class RatedGame:
    """A finished game: `score` is the first player's, 1, 0.5 or 0."""

    id: str
    first: str
    second: str
    score: float


@dataclass(frozen=True, slots=True)
class _Met:
    """One opponent on the paper's scale, and the score against it."""

    rating: float
    deviation: float
    score: float


def rate_period(
    ratings: Mapping[str, Rating], games: Iterable[RatedGame], tau: float = TAU
) -> dict[str, Rating]:
    """The ratings after a closed period: of everyone in `ratings` and everyone who played.

    Opponents count with their ratings at the beginning. A player who did not play keeps the rating,
    and its deviation grows. The result is the same to the last bit for any order of games, since
    they are taken by their ids. Ratings and volatilities are kept within bounds.
    """
    ratings = {player: _bounded(rating) for player, rating in ratings.items()}
    met: dict[str, list[_Met]] = {player: [] for player in ratings}
    for game in sorted(games, key=lambda game: game.id):
        first = ratings.get(game.first, Rating())
        second = ratings.get(game.second, Rating())
        met.setdefault(game.first, []).append(_met(second, game.score))
        met.setdefault(game.second, []).append(_met(first, 1.0 - game.score))
    return {player: _rated(ratings.get(player, Rating()), met[player], tau) for player in met}


def grow_deviation(deviation: float, volatility: float) -> float:
    """The deviation, in points, after a period without a game: step 6 of the paper."""
    return sqrt((deviation / SCALE) ** 2 + volatility**2) * SCALE


def _met(opponent: Rating, score: float) -> _Met:
    return _Met((opponent.rating - CENTRE) / SCALE, opponent.deviation / SCALE, score)


def _bounded(rating: Rating) -> Rating:
    return Rating(
        min(max(rating.rating, LEAST), MOST),
        rating.deviation,
        min(rating.volatility, MOST_VOLATILE),
    )


def _rated(before: Rating, met: Sequence[_Met], tau: float) -> Rating:
    """Steps 2 to 8 of the paper."""
    if not met:
        grown = grow_deviation(before.deviation, before.volatility)
        return Rating(before.rating, grown, before.volatility)
    deviation = before.deviation / SCALE
    rating = (before.rating - CENTRE) / SCALE
    information = surprise = 0.0
    for each in met:
        weight = 1 / sqrt(1 + 3 * each.deviation**2 / pi**2)
        expected = 1 / (1 + exp(-weight * (rating - each.rating)))
        information += weight**2 * expected * (1 - expected)
        surprise += weight * (each.score - expected)
    variance = 1 / information
    found = _volatility(before.volatility, deviation, variance, variance * surprise, tau)
    volatility = min(found, MOST_VOLATILE)
    shrunk = 1 / sqrt(1 / (deviation**2 + volatility**2) + information)
    moved = CENTRE + SCALE * (rating + shrunk**2 * surprise)
    return _bounded(Rating(moved, SCALE * shrunk, volatility))


def _volatility(
    volatility: float, deviation: float, variance: float, improvement: float, tau: float
) -> float:
    """Step 5: the volatility at which the paper's f is zero, by the Illinois method."""
    start = log(volatility**2)
    known = deviation**2 + variance

    def f(x: float) -> float:
        power = exp(x)
        return (
            power * (improvement**2 - known - power) / (2 * (known + power) ** 2)
            - (x - start) / tau**2
        )

    low, high = start, _bracket(f, start, improvement**2 - known, tau)
    at_low, at_high = f(low), f(high)
    while abs(high - low) > TOLERANCE:
        middle = low + (low - high) * at_low / (at_high - at_low)
        at_middle = f(middle)
        if at_middle * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low /= 2
        high, at_high = middle, at_middle
    return exp(low / 2)


def _bracket(f: Callable[[float], float], start: float, excess: float, tau: float) -> float:
    """The other end of an interval that holds the zero (step 5.2)."""
    if excess > 0:
        return log(excess)
    steps = 1
    while f(start - steps * tau) < 0:
        steps += 1
    return start - steps * tau
