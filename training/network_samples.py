"""Positions as features of the games' networks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import Final, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.registry import find_variant
from engine.search import evaluate
from notation.registry import find_dialect
from training.positions import LabelledPosition
from training.seen import SEEN, Seen
from training.spreading import spread

Numbers: TypeAlias = NDArray[np.float32]
Indices: TypeAlias = NDArray[np.uint16]

PART: Final = 10_000
"""How many positions a process converts before it is given more."""


@dataclass(frozen=True, slots=True)
class NetworkSamples:
    """Positions as numbers, a row each, all seen from the side to act.

    `own` and `other` are the features of the two views, padded with `features`, the number of
    features; `mirror` has the number of each on the mirrored board. `bases` is what the network is
    added to, `evaluations` the evaluation in use, both as logarithms of odds.
    """

    features: int
    own: Indices
    other: Indices
    mirror: Indices
    bases: Numbers
    evaluations: Numbers
    outlooks: Numbers
    games: NDArray[np.int64]

    def sharpen(self, confidence: float) -> Self:
        """The same with the log odds of base and evaluation multiplied by `confidence`."""
        factor = np.float32(confidence)
        return replace(self, bases=self.bases * factor, evaluations=self.evaluations * factor)


@dataclass(frozen=True, slots=True)
class _Part:
    """Some rows of `NetworkSamples`, with both views side by side."""

    views: Indices
    numbers: NDArray[np.float64]


def read_network_samples(
    variant: str, positions: Iterable[LabelledPosition], processes: int = 1
) -> NetworkSamples:
    """Convert positions, at least one, to what the variant's network sees."""
    seen = SEEN[variant]
    parts = list(spread(partial(_see, variant), _parts(positions), processes))
    views = np.concatenate([part.views for part in parts])
    numbers = np.concatenate([part.numbers for part in parts]).T
    bases, evaluations, outlooks = numbers[:3].astype(np.float32)
    mirror = np.array([*seen.mirror, seen.features], dtype=np.uint16)
    games = numbers[3].astype(np.int64)
    own, other = views[:, 0], views[:, 1]
    return NetworkSamples(seen.features, own, other, mirror, bases, evaluations, outlooks, games)


def _parts(positions: Iterable[LabelledPosition]) -> Iterator[list[LabelledPosition]]:
    left = iter(positions)
    while part := list(islice(left, PART)):
        yield part


def _see(variant: str, positions: Sequence[LabelledPosition]) -> _Part:
    seen = SEEN[variant]
    game = find_variant(variant)
    dialect = find_dialect(variant)
    views: list[list[list[int]]] = []
    numbers: list[tuple[float, ...]] = []
    for labelled in positions:
        position = dialect.read_fen(labelled.fen)
        sides = (position.side, 1 - position.side)
        views.append([_filled(seen.list_features(position, side), seen) for side in sides])
        odds = (seen.base(position) / game.scale, evaluate(game, position) / game.scale)
        numbers.append((*odds, labelled.outlook, labelled.game))
    return _Part(np.array(views, dtype=np.uint16), np.array(numbers, dtype=np.float64))


def _filled(found: list[int], seen: Seen) -> list[int]:
    return found + [seen.features] * (seen.most - len(found))
