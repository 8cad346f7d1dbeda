"""Ratings of puzzles and of the players who try them.

An attempt is a game between the player and the puzzle, which the player wins by solving it. For
both it is a rating period of its own.
"""

from __future__ import annotations

from typing import Final

from service.rating.glicko2 import RatedGame, Rating, rate_period

ESTIMATE_DEVIATION: Final = 250.0
"""The deviation of an estimated rating: less than that of a newcomer's, which rests on nothing."""
_PLAYER: Final = "player"
_PUZZLE: Final = "puzzle"


def begin_puzzle(estimate: int) -> Rating:
    """The rating of a puzzle that nobody has tried.

    >>> begin_puzzle(1650)
    Rating(rating=1650.0, deviation=250.0, volatility=0.06)
    """
    return Rating(float(estimate), ESTIMATE_DEVIATION)


def rate_attempt(player: Rating, puzzle: Rating, *, solved: bool) -> tuple[Rating, Rating]:
    """The ratings of a player and a puzzle after an attempt.

    >>> player, puzzle = rate_attempt(Rating(), begin_puzzle(1500), solved=True)
    >>> round(player.rating), round(puzzle.rating)
    (1670, 1402)
    """
    game = RatedGame("", _PLAYER, _PUZZLE, 1.0 if solved else 0.0)
    after = rate_period({_PLAYER: player, _PUZZLE: puzzle}, [game])
    return after[_PLAYER], after[_PUZZLE]
