"""The scale of the winning chances, fitted to the scores and the results of games."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import exp, sqrt
from typing import Final

from engine.search import is_decided
from engine.variant import Variant
from notation.registry import find_dialect
from training.errors import NoScale
from training.played_game import PlayedGame

STEPS: Final = 30
"""Newton's steps; a handful is enough."""
FARTHEST: Final = 30.0
"""The greatest logarithm of odds."""

Scored = tuple[int, float]
"""A score in hundredths of the game's unit, and the points of the side that it is for."""


@dataclass(frozen=True, slots=True)
class ScaleFit:
    """The scale (`engine.variant.Variant`) that fits these `games` best, and its standard error."""

    games: int
    scale: float
    error: float

    def __str__(self) -> str:
        return f"{self.games} games, scale {self.scale:.0f} ± {self.error:.0f}"


def fit_scale(variant: Variant, games: Iterable[PlayedGame]) -> ScaleFit:
    """Fit the chance 1 / (1 + e^(-score / scale)) to the points, by logistic regression.

    Each game counts the same, however many positions were searched in it, and the error takes a
    game's positions to share its result. Raises NoScale if no scale fits.
    """
    known = [found for game in games if (found := list(list_scores(variant, game)))]
    inverse = 1 / variant.scale
    for _ in range(STEPS):
        slopes = [find_slopes(found, inverse) for found in known]
        curvature = sum(curved for _, curved in slopes)
        if not curvature:
            break
        inverse += sum(slope for slope, _ in slopes) / curvature
    if not known or not curvature or inverse <= 0:
        raise NoScale(len(known))
    spread = sqrt(sum(slope**2 for slope, _ in slopes)) / curvature
    return ScaleFit(len(known), 1 / inverse, spread / inverse**2)


def list_scores(variant: Variant, played: PlayedGame) -> Iterator[Scored]:
    """The scores of a game that do not already tell its end."""
    position = find_dialect(variant.name).read_fen(played.start)
    for action, score in zip(played.actions, played.scores, strict=True):
        if score is not None and not is_decided(score):
            yield score, 1 - played.points if position.side else played.points
        position.play(action)


def find_slopes(found: list[Scored], inverse: float) -> tuple[float, float]:
    """The first and the negative second derivative of a game's mean log-likelihood."""
    slope = curvature = 0.0
    for score, points in found:
        chance = 1 / (1 + exp(-max(-FARTHEST, min(FARTHEST, score * inverse))))
        slope += score * (points - chance)
        curvature += score**2 * chance * (1 - chance)
    return slope / len(found), curvature / len(found)
