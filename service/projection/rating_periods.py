"""Computes ratings one period after another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from service.rating.glicko2 import RatedGame, Rating, grow_deviation, rate_period

UNRATED: Final = Rating()


@dataclass(frozen=True, slots=True)
class Rated:
    """A player's rating at the end of a period in which they played `games` games."""

    period: int
    rating: Rating
    games: int


def rate(table: Mapping[str, Rated], period: int, games: Sequence[RatedGame]) -> dict[str, Rated]:
    """The ratings of those who played in a period, computed from everybody's latest ratings."""
    # The games are counted in this order, whatever order they came in.
    ordered = sorted(games, key=lambda game: game.id)
    players = sorted({player for game in ordered for player in (game.first, game.second)})
    before = {
        player: idle(table[player].rating, period - table[player].period - 1)
        for player in players
        if player in table
    }
    after = rate_period(before, ordered)
    count = Counter(player for game in ordered for player in (game.first, game.second))
    return {player: Rated(period, after[player], count[player]) for player in players}


def idle(rating: Rating, periods: int) -> Rating:
    """A rating after `periods` periods without a game: less and less certain.

    It gets no less certain than an unrated player's.
    """
    deviation = rating.deviation
    # Rounded after each period, as Glicko-2 rates them: a rebuild gives the same to the last bit.
    for _ in range(periods):
        if deviation >= UNRATED.deviation:
            break
        deviation = grow_deviation(deviation, rating.volatility)
    return replace(rating, deviation=min(deviation, UNRATED.deviation))
