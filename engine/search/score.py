"""What a score means: hundredths of the game's unit, or the distance to a decided end."""

from __future__ import annotations

from typing import Final

WIN: Final = 32_000
"""The score of a side that has won; n actions before it, the score is `WIN - n`."""

INFINITE: Final = WIN + 1
"""Beyond all scores."""

DECIDED: Final = WIN - 1_000
"""Scores from here on are decided; no evaluation is as high."""


def is_decided(score: int) -> bool:
    """Whether a score says that the game is won or lost by force.

    >>> is_decided(-WIN + 3), is_decided(900)
    (True, False)
    """
    return abs(score) >= DECIDED


def plies_to_end(score: int) -> int:
    """How many actions it takes to the end that a decided score predicts; ValueError for others.

    >>> plies_to_end(-WIN + 3)
    3
    """
    if not is_decided(score):
        raise ValueError(score)
    return WIN - abs(score)
