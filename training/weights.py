"""Weights of an evaluation's terms, fitted to positions of played games (Texel's method)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from notation.registry import find_dialect
from training.evaluations import EVALUATIONS, Evaluation
from training.positions import LabelledPosition

Numbers: TypeAlias = NDArray[np.float64]

HELD_OUT: Final = 10
"""One game in so many is not fitted to, but tells how good the fit is."""
LEAST: Final = 5
"""A weight is expected as it was, give or take as much again or at least so many hundredths."""
ROUNDS: Final = 12
"""Steps of Newton's method."""


@dataclass(frozen=True, slots=True)
class Samples:
    """Positions as numbers, a row each: terms and outlook of the first side, and game."""

    terms: Numbers
    outlooks: Numbers
    games: NDArray[np.int64]

    def of_games(self, chosen: NDArray[np.bool_]) -> Samples:
        """The rows that are chosen."""
        return Samples(self.terms[chosen], self.outlooks[chosen], self.games[chosen])


@dataclass(frozen=True, slots=True)
class Fit:
    """What was fitted: weights with standard errors, and the scale, as in `Evaluation`.

    `before` and `after` are the mean losses in games that were held out (cross entropy, natural
    logarithm), with the weights as they were and as they were fitted; `least` is what a perfect
    evaluation would lose.
    """

    weights: Numbers
    errors: Numbers
    scale: float
    before: float
    after: float
    least: float


def read_samples(variant: str, positions: Iterable[LabelledPosition]) -> Samples:
    """Count the terms of positions, at least one."""
    dialect = find_dialect(variant)
    count = EVALUATIONS[variant].count
    terms, labels = [], []
    for labelled in positions:
        position = dialect.read_fen(labelled.fen)
        terms.append(count(position))
        outlook = 1 - labelled.outlook if position.side else labelled.outlook
        labels.append((outlook, labelled.game))
    outlooks, games = np.array(labels, dtype=np.float64).T
    return Samples(np.array(terms, dtype=np.float64), outlooks, games.astype(np.int64))


def fit_weights(evaluation: Evaluation, samples: Samples) -> Fit:
    """The weights under which the positions' outlooks are likeliest (logistic regression).

    A weight on which they say little stays near what it was. The errors take positions of one game
    as one observation.
    """
    held_out = samples.games % HELD_OUT == 0
    fitted, judged = samples.of_games(~held_out), samples.of_games(held_out)
    before = np.array(evaluation.weights, dtype=np.float64) / evaluation.scale
    tied = (evaluation.scale / np.maximum(LEAST, np.abs(evaluation.weights))) ** 2
    goal = fitted.outlooks
    found = before.copy()
    curvature = np.diag(tied)
    for _ in range(ROUNDS):
        chances = _chances(fitted.terms @ found)
        slope = tied * (before - found) + fitted.terms.T @ (goal - chances)
        weighted = fitted.terms * (chances * (1 - chances))[:, None]
        curvature = np.diag(tied) + fitted.terms.T @ weighted
        found = found + np.linalg.solve(curvature, slope)
    errors = _errors(fitted, goal - _chances(fitted.terms @ found), curvature)
    unit = found[0] / 100
    wanted = judged.outlooks
    return Fit(
        found / unit,
        errors / unit,
        1 / unit,
        _loss(wanted, _chances(judged.terms @ before)),
        _loss(wanted, _chances(judged.terms @ found)),
        _loss(wanted, wanted),
    )


def report(evaluation: Evaluation, fit: Fit) -> str:
    """A fit as text, a line for each term."""
    lines = [
        f"loss {fit.before:.4f} before, {fit.after:.4f} fitted, {fit.least:.4f} at least; "
        f"scale {fit.scale:.0f} (was {evaluation.scale})"
    ]
    for term in evaluation.names:
        lines.append(
            f"{term.name:16} {fit.weights[term]:7.1f} ± {fit.errors[term]:.1f}"
            f" (was {evaluation.weights[term]})"
        )
    return "\n".join(lines)


def _chances(odds: Numbers) -> Numbers:
    """Winning chances of logarithms of odds, never quite 0 or 1."""
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -15, 15))), dtype=np.float64)


def _loss(labels: Numbers, chances: Numbers) -> float:
    chances = np.clip(chances, 1e-9, 1 - 1e-9)
    return float(-np.mean(labels * np.log(chances) + (1 - labels) * np.log(1 - chances)))


def _errors(samples: Samples, residuals: Numbers, curvature: Numbers) -> Numbers:
    """Standard errors by the sandwich estimator with games as clusters."""
    _, numbers = np.unique(samples.games, return_inverse=True)
    sums = np.zeros((numbers.max() + 1, samples.terms.shape[1]))
    np.add.at(sums, numbers, samples.terms * residuals[:, None])
    inverse = np.linalg.inv(curvature)
    covariances = inverse @ (sums.T @ sums) @ inverse
    return np.asarray(np.sqrt(np.diag(covariances)), dtype=np.float64)
