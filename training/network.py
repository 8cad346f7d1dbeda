"""Networks fitted to positions of played games, and their weights as integers.

The gradients are JAX's, which computes on a GPU where it finds one, else on the processor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from engine.learned.layout import HIDDEN, LARGEST, ONE, OUTPUT_SHIFT
from training.network_samples import NetworkSamples
from training.plan import DECAY, EPOCHS, RATE

Numbers: TypeAlias = NDArray[np.float32]

HELD_OUT: Final = 10
"""One in this many games is held out of the fit, to measure how good the fit is."""
BATCH: Final = 1024
SLOWER: Final = ((0.6, 1.0), (0.85, 0.3), (1.0, 0.1))
"""The share of the learning rate up to each share of the epochs."""


@dataclass(frozen=True, slots=True)
class Training:
    """How a network is fitted: equal values and samples give equal networks on one processor.

    `rate` is Adam's (Kingma and Ba 2015); `decay` is how strongly weights of features are pulled
    towards 0; `seed` is for the first weights and the order.
    """

    epochs: int = EPOCHS
    rate: float = RATE
    decay: float = DECAY
    seed: int = 0


class FloatNetwork(NamedTuple):
    """A network before it is rounded, with the activations of hidden units from 0 to 1.

    `inputs` has a row for each feature; `outputs` are in logarithms of odds, `bias` too.
    """

    inputs: jax.Array
    biases: jax.Array
    outputs: jax.Array
    bias: jax.Array

    def odds(self, views: Views) -> jax.Array:
        """The network's output for positions, in logarithms of odds."""
        sums = jnp.concatenate([self._sums(views.own), self._sums(views.other)], axis=1)
        hidden = jnp.clip(sums + jnp.tile(self.biases, 2), 0, 1)
        return hidden @ self.outputs + self.bias

    def _sums(self, features: jax.Array) -> jax.Array:
        # Rows are padded with the number of features, an index that has no weights.
        return self.inputs.at[features].get(mode="fill", fill_value=0).sum(axis=1)


class Views(NamedTuple):
    """The features of both views of some positions, a row each.

    `bases` are the log odds of what the network is added to.
    """

    own: jax.Array
    other: jax.Array
    bases: jax.Array


class Moments(NamedTuple):
    """Running means of the gradients and of their squares."""

    means: FloatNetwork
    squares: FloatNetwork


@dataclass(frozen=True, slots=True)
class Losses:
    """Mean cross entropies in games that were held out.

    `before` is that of the evaluation in use, `after` that with the network, and `least` that of a
    perfect evaluation.
    """

    before: float
    after: float
    least: float


def find_confidence(samples: NetworkSamples) -> float:
    """The factor, from 1/4 to 4, on the log odds of the evaluation in use that loses least.

    The better the players, the more a score says about who wins.
    """
    least, most = 0.25, 4.0
    while most - least > 0.01:
        low, high = least + (most - least) / 3, most - (most - least) / 3
        losses = [
            _loss(samples.outlooks, _chances(samples.evaluations * np.float32(tried)))
            for tried in (low, high)
        ]
        # The loss falls to its only minimum, and rises from there.
        least, most = (least, high) if losses[0] < losses[1] else (low, most)
    return round((least + most) / 2, 2)


def fit_network(
    samples: NetworkSamples,
    training: Training,
    most: int,
    report: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[FloatNetwork, Losses]:
    """The network under which the positions' outlooks are likeliest, and its losses.

    `most` is the greatest number of features of a view: it bounds their weights, so that their sums
    stay within 16 bits. `report` is called after each epoch.
    """
    random = np.random.default_rng(training.seed)
    held_out = samples.games % HELD_OUT == 0
    network = _first_weights(samples.features, random)
    nothing = FloatNetwork(*map(jnp.zeros_like, network))
    moments = Moments(nothing, nothing)
    bound = LARGEST / ONE / (most + 1) * 0.99
    decay = training.decay
    taken = 0
    for epoch in range(training.epochs):
        rate = training.rate * _share_of_rate((epoch + 0.5) / training.epochs)
        for chosen in _batches(np.nonzero(~held_out)[0], random):
            views = _views(samples, chosen, mirrored=bool(random.integers(2)))
            taken += 1
            network, moments = _step(
                network, moments, views, samples.outlooks[chosen], rate, decay, bound, float(taken)
            )
        report(epoch + 1, training.epochs)
    return network, _losses(network, samples, np.nonzero(held_out)[0])


@dataclass(frozen=True, slots=True)
class Rounded:
    """The weights in the form that `engine.learned.files.write_network` takes."""

    inputs: list[int]
    biases: list[int]
    outputs: list[int]
    output_bias: int


def round_network(network: FloatNetwork, scale: float) -> Rounded:
    """The weights as integers; `scale` is the game's, as in `engine.variant.Variant`."""
    unit = scale * 2**OUTPUT_SHIFT / ONE
    limit = LARGEST / unit
    return Rounded(
        np.rint(np.asarray(network.inputs) * ONE).astype(int).ravel().tolist(),
        np.rint(np.asarray(network.biases) * ONE).astype(int).tolist(),
        np.rint(np.clip(np.asarray(network.outputs), -limit, limit) * unit).astype(int).tolist(),
        # Half a unit more, since the engine cuts off the fraction.
        int(np.rint(float(network.bias[0]) * unit * ONE)) + 2 ** (OUTPUT_SHIFT - 1),
    )


def _first_weights(features: int, random: np.random.Generator) -> FloatNetwork:
    return FloatNetwork(
        jnp.asarray(random.normal(0, 0.1, (features, HIDDEN)), jnp.float32),
        jnp.full(HIDDEN, 0.3, jnp.float32),
        jnp.asarray(random.normal(0, 0.1, 2 * HIDDEN), jnp.float32),
        jnp.zeros(1, jnp.float32),
    )


def _share_of_rate(progress: float) -> float:
    return next(share for until, share in SLOWER if progress < until)


def _batches(rows: NDArray[np.int64], random: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """The rows in random order, in batches of equal size; the last few are left out."""
    order = random.permutation(rows)
    size = min(BATCH, len(order))
    return (order[first : first + size] for first in range(0, len(order) - size + 1, size))


def _views(samples: NetworkSamples, rows: NDArray[np.int64], *, mirrored: bool) -> Views:
    own, other = samples.own[rows], samples.other[rows]
    if mirrored:
        own, other = samples.mirror[own], samples.mirror[other]
    return Views(jnp.asarray(own), jnp.asarray(other), jnp.asarray(samples.bases[rows]))


@jax.jit
def _step(
    network: FloatNetwork,
    moments: Moments,
    views: Views,
    outlooks: jax.Array,
    rate: float,
    decay: float,
    bound: float,
    taken: float,
) -> tuple[FloatNetwork, Moments]:
    """The network after the `taken`th batch, whose weights of features stay within the bound."""
    slopes = jax.grad(_penalised_loss)(network, views, outlooks, decay)
    means = FloatNetwork(*(m + 0.1 * (g - m) for m, g in zip(moments.means, slopes, strict=True)))
    squares = FloatNetwork(
        *(s + 0.001 * (g * g - s) for s, g in zip(moments.squares, slopes, strict=True))
    )
    mean_share, square_share = 1 - 0.9**taken, 1 - 0.999**taken
    inputs, biases, outputs, bias = (
        part - rate * mean / mean_share / (jnp.sqrt(square / square_share) + 1e-8)
        for part, mean, square in zip(network, means, squares, strict=True)
    )
    inputs, biases = jnp.clip(inputs, -bound, bound), jnp.clip(biases, -bound, bound)
    return FloatNetwork(inputs, biases, outputs, bias), Moments(means, squares)


def _penalised_loss(
    network: FloatNetwork, views: Views, outlooks: jax.Array, decay: float
) -> jax.Array:
    odds = views.bases + network.odds(views)
    loss = jnp.mean(jnp.logaddexp(0.0, odds) - outlooks * odds)
    return loss + decay / 2 * jnp.sum(network.inputs**2)


@jax.jit
def _odds(network: FloatNetwork, views: Views) -> jax.Array:
    return views.bases + network.odds(views)


def _losses(network: FloatNetwork, samples: NetworkSamples, rows: NDArray[np.int64]) -> Losses:
    parts = [rows[first : first + BATCH] for first in range(0, len(rows), BATCH)]
    found = [np.asarray(_odds(network, _views(samples, part, mirrored=False))) for part in parts]
    wanted = samples.outlooks[rows]
    before, after = _chances(samples.evaluations[rows]), _chances(np.concatenate(found))
    return Losses(*(_loss(wanted, each) for each in (before, after, wanted)))


def _chances(odds: Numbers) -> Numbers:
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -15, 15))), dtype=np.float32)


def _loss(labels: Numbers, found: Numbers) -> float:
    found = np.clip(found, 1e-7, 1 - 1e-7)
    return float(-np.mean(labels * np.log(found) + (1 - labels) * np.log(1 - found)))
