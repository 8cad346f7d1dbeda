"""Positions as the games' networks see them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.registry import find_variant
from engine.search import evaluate
from notation.registry import find_dialect
from training.positions import LabelledPosition
from training.seen import SEEN, Seen

Numbers: TypeAlias = NDArray[np.float32]
Indices: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class NetworkSamples:
    """Positions as numbers, a row each, all seen from the side to act.

    `own` and `other` are the features of the two views, filled up with `features`, their number.
    `bases` is what the network is added to, `evaluations` the evaluation in use, `scores` the
    search's, all as logarithms of odds; `points` is the result.
    """

    features: int
    own: Indices
    other: Indices
    mirror: Indices
    bases: Numbers
    evaluations: Numbers
    scores: Numbers
    points: Numbers
    games: Indices

    def labels(self, results: float) -> Numbers:
        """Winning chances to learn; `results` is the share of the games' results."""
        by_score = 1 / (1 + np.exp(-np.clip(self.scores, -15, 15)))
        return np.asarray(results * self.points + (1 - results) * by_score, dtype=np.float32)

    def views(self, rows: Indices, *, mirrored: bool) -> tuple[Numbers, Numbers]:
        """Which features there are (1, else 0) in both views of these rows."""
        own, other = (self._spread(indices[rows], mirrored) for indices in (self.own, self.other))
        return own, other

    def _spread(self, indices: Indices, mirrored: bool) -> Numbers:
        spread = np.zeros((len(indices), self.features + 1), np.float32)
        places = self.mirror[indices] if mirrored else indices
        spread[np.arange(len(indices))[:, None], places] = 1
        return spread[:, : self.features]


def read_network_samples(variant: str, positions: Iterable[LabelledPosition]) -> NetworkSamples:
    """See positions, at least one, as the variant's network does."""
    seen = SEEN[variant]
    game = find_variant(variant)
    dialect = find_dialect(variant)
    views: list[list[list[int]]] = []
    numbers: list[tuple[float, ...]] = []
    for labelled in positions:
        position = dialect.read_fen(labelled.fen)
        views.append(
            [
                _filled(seen.list_features(position, side), seen)
                for side in (position.side, 1 - position.side)
            ]
        )
        odds = (seen.material(position), evaluate(game, position), labelled.score)
        numbers.append((*(one / game.scale for one in odds), labelled.points, labelled.game))
    both = np.array(views, dtype=np.int64)
    columns = np.array(numbers, dtype=np.float64).T
    bases, evaluations, scores, points = columns[:4].astype(np.float32)
    mirror = np.array([*seen.mirror, seen.features], dtype=np.int64)
    games = columns[4].astype(np.int64)
    return NetworkSamples(
        seen.features, both[:, 0], both[:, 1], mirror, bases, evaluations, scores, points, games
    )


def _filled(found: list[int], seen: Seen) -> list[int]:
    return found + [seen.features] * (seen.most - len(found))
