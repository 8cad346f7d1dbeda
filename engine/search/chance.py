"""The winning chance of a score: a logistic curve measured for each game (`docs/evaluation.md`)."""

from __future__ import annotations

from math import exp, log
from typing import TYPE_CHECKING, Final

from engine.search.score import is_decided

if TYPE_CHECKING:
    from engine.variant import Variant

SUREST: Final = 30.0
"""The logarithm of the odds beyond which a chance is as good as certain."""


def winning_chance(variant: Variant, score: int) -> float:
    """The chance, from 0 to 1, that the side whose view the score takes wins; a draw counts half.

    It is one half for 0, and 1 or 0 for decided games.

    >>> from engine.katruji import KATRUJI
    >>> winning_chance(KATRUJI, 0), winning_chance(KATRUJI, 31_997)
    (0.5, 1.0)
    """
    if is_decided(score):
        return 1.0 if score > 0 else 0.0
    return 1 / (1 + exp(max(-SUREST, min(SUREST, -score / variant.scale))))


def score_of(variant: Variant, chance: float) -> int:
    """The score, not a decided one, that comes nearest to a winning chance.

    >>> from engine.katruji import KATRUJI
    >>> score_of(KATRUJI, 0.5), score_of(KATRUJI, winning_chance(KATRUJI, -250))
    (0, -250)
    """
    surest = exp(-SUREST)
    chance = max(surest, min(1 - surest, chance))
    return round(variant.scale * log(chance / (1 - chance)))
