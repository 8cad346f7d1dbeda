"""Networks fitted to positions of played games, and their weights as integers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.learned.layout import HIDDEN, LARGEST, ONE, OUTPUT_SHIFT
from training.network_samples import NetworkSamples

Numbers: TypeAlias = NDArray[np.float32]

HELD_OUT: Final = 10
"""One game in so many is not fitted to, but tells how good the fit is."""
BATCH: Final = 1024
DECAY: Final = 1e-5
"""How strongly weights of features are drawn to 0."""
SLOWER: Final = ((0.6, 1.0), (0.85, 0.3), (1.0, 0.1))
"""The share of the learning rate up to each share of the epochs."""


@dataclass(frozen=True, slots=True)
class Training:
    """How a network is fitted: equal values and equal samples give equal networks.

    `results` is the share of a game's result in a position's label, the rest that of the search's
    score; `rate` is Adam's (Kingma and Ba 2015); `seed` that of the first weights and the order.
    """

    epochs: int = 12
    results: float = 0.5
    rate: float = 0.002
    seed: int = 0


@dataclass(frozen=True, slots=True)
class FloatNetwork:
    """A network before it is rounded, with the activations of hidden units from 0 to 1.

    `inputs` has a row for each feature; `outputs` are in logarithms of odds, `bias` too.
    """

    inputs: Numbers
    biases: Numbers
    outputs: Numbers
    bias: Numbers

    def odds(self, own: Numbers, other: Numbers) -> Numbers:
        """What it says of positions, by which features there are in the two views (0 or 1)."""
        sums = np.concatenate([own @ self.inputs, other @ self.inputs], axis=1)
        hidden = np.clip(sums + np.tile(self.biases, 2), 0, 1)
        return np.asarray(hidden @ self.outputs + self.bias, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Losses:
    """Mean cross entropies in games that were held out: `before` of the evaluation in use.

    `after` is that of the material with the network, `least` what a perfect evaluation would lose.
    """

    before: float
    after: float
    least: float


def fit_network(
    samples: NetworkSamples,
    training: Training,
    most: int,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[FloatNetwork, Losses]:
    """The network under which the positions' labels are likeliest, and what it loses.

    `most` is the greatest number of features of a view: it bounds their weights, so that their sums
    keep within 16 bits. `report` is told of each epoch.
    """
    random = np.random.default_rng(training.seed)
    held_out = samples.games % HELD_OUT == 0
    goals = samples.labels(training.results)
    parts = _first_weights(samples.features, random)
    steps = [(np.zeros_like(part), np.zeros_like(part)) for part in parts]
    bound = LARGEST / ONE / (most + 1) * 0.99
    taken = 0
    for epoch in range(training.epochs):
        rate = training.rate * _share_of_rate((epoch + 0.5) / training.epochs)
        for chosen in _batches(np.nonzero(~held_out)[0], random):
            own, other = samples.views(chosen, mirrored=bool(random.integers(2)))
            network = FloatNetwork(*parts)
            slopes = _slopes(network, own, other, samples.bases[chosen], goals[chosen])
            taken += 1
            for part, (mean, square), slope in zip(parts, steps, slopes, strict=True):
                mean += 0.1 * (slope - mean)
                square += 0.001 * (slope * slope - square)
                step = mean / (1 - 0.9**taken) / (np.sqrt(square / (1 - 0.999**taken)) + 1e-8)
                part -= np.float32(rate) * step
            np.clip(parts[0], -bound, bound, out=parts[0])
            np.clip(parts[1], -bound, bound, out=parts[1])
        report(epoch + 1, training.epochs)
    network = FloatNetwork(*parts)
    return network, _losses(network, samples, np.nonzero(held_out)[0], goals)


@dataclass(frozen=True, slots=True)
class Rounded:
    """The weights as `engine.learned.files.write_network` wants them."""

    inputs: list[int]
    biases: list[int]
    outputs: list[int]
    output_bias: int


def round_network(network: FloatNetwork, scale: int) -> Rounded:
    """The weights as integers; `scale` is the game's, as in `engine.variant.Variant`."""
    unit = scale * 2**OUTPUT_SHIFT / ONE
    limit = LARGEST / unit
    return Rounded(
        np.rint(network.inputs * ONE).astype(int).ravel().tolist(),
        np.rint(network.biases * ONE).astype(int).tolist(),
        np.rint(np.clip(network.outputs, -limit, limit) * unit).astype(int).tolist(),
        # Half a unit more, since what is behind the point is cut off.
        int(np.rint(network.bias[0] * unit * ONE)) + 2 ** (OUTPUT_SHIFT - 1),
    )


def _first_weights(features: int, random: np.random.Generator) -> list[Numbers]:
    return [
        random.normal(0, 0.1, (features, HIDDEN)).astype(np.float32),
        np.full(HIDDEN, 0.3, np.float32),
        random.normal(0, 0.1, 2 * HIDDEN).astype(np.float32),
        np.zeros(1, np.float32),
    ]


def _share_of_rate(progress: float) -> float:
    return next(share for until, share in SLOWER if progress < until)


def _batches(rows: NDArray[np.int64], random: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    order = random.permutation(rows)
    return (order[first : first + BATCH] for first in range(0, len(order), BATCH))


def _slopes(
    network: FloatNetwork, own: Numbers, other: Numbers, bases: Numbers, goals: Numbers
) -> Sequence[Numbers]:
    """The slopes of the mean loss of a batch, in the order of the network's fields."""
    sums = np.concatenate([own @ network.inputs, other @ network.inputs], axis=1)
    sums += np.tile(network.biases, 2)
    hidden = np.clip(sums, 0, 1)
    errors = chances(bases + hidden @ network.outputs + network.bias) - goals
    errors = (errors / len(goals)).astype(np.float32)
    behind = np.outer(errors, network.outputs) * ((sums > 0) & (sums < 1))
    first, second = behind[:, :HIDDEN], behind[:, HIDDEN:]
    return (
        own.T @ first + other.T @ second + DECAY * network.inputs,
        first.sum(axis=0) + second.sum(axis=0),
        hidden.T @ errors,
        errors.sum(keepdims=True),
    )


def chances(odds: Numbers) -> Numbers:
    """Winning chances of logarithms of odds."""
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -15, 15))), dtype=np.float32)


def _losses(
    network: FloatNetwork, samples: NetworkSamples, rows: NDArray[np.int64], goals: Numbers
) -> Losses:
    own, other = samples.views(rows, mirrored=False)
    found = chances(samples.bases[rows] + network.odds(own, other))
    before = chances(samples.evaluations[rows])
    return Losses(*(_loss(goals[rows], each) for each in (before, found, goals[rows])))


def _loss(labels: Numbers, found: Numbers) -> float:
    found = np.clip(found, 1e-7, 1 - 1e-7)
    return float(-np.mean(labels * np.log(found) + (1 - labels) * np.log(1 - found)))
