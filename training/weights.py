"""Weights of an evaluation's terms, fitted to positions of played games (Texel's method).

Where a game has piece-square tables, each of their numbers is a weight like the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from notation.registry import find_dialect
from training.evaluations import EVALUATIONS, Evaluation, PieceSquares
from training.positions import LabelledPosition

Numbers: TypeAlias = NDArray[np.float64]

HELD_OUT: Final = 10
"""One in this many games is held out of the fit, to measure how good the fit is."""
LEAST: Final = 5
"""A weight is expected to stay as it was, with a standard deviation of its own size, but at least
this many hundredths."""
LEAST_SQUARE: Final = 24
"""The same for a number of piece-square tables."""
ROUNDS: Final = 8
"""Steps of Newton's method."""
BLOCK: Final = 50_000
"""Positions whose counts are in memory as floating point numbers at the same time."""


@dataclass(frozen=True, slots=True)
class Samples:
    """Positions as numbers, a row each: counts, outlook of the first side, and game.

    The counts are those of the terms, then those of the piece-square tables' numbers.
    """

    counts: NDArray[np.int16]
    outlooks: Numbers
    games: NDArray[np.int64]

    def of_games(self, chosen: NDArray[np.bool_]) -> Samples:
        """The rows that are chosen."""
        return Samples(self.counts[chosen], self.outlooks[chosen], self.games[chosen])

    def blocks(self) -> Iterator[tuple[slice, Numbers]]:
        """Counts as floating point numbers, some rows at a time."""
        for first in range(0, len(self.games), BLOCK):
            rows = slice(first, first + BLOCK)
            yield rows, self.counts[rows].astype(np.float64)

    def chances(self, weights: Numbers) -> Numbers:
        """The first side's winning chances with these weights, for each position."""
        return np.concatenate([_chances(block @ weights) for _, block in self.blocks()])


@dataclass(frozen=True, slots=True)
class Fit:
    """What was fitted: weights with standard errors, and the scale, as in `Evaluation`.

    The numbers of piece-square tables are in `piece_squares`, in hundredths like the weights.

    `before` and `after` are the mean losses in games that were held out (cross entropy, natural
    logarithm), with the weights as they were and as they were fitted; `least` is what a perfect
    evaluation would lose.
    """

    weights: Numbers
    errors: Numbers
    piece_squares: Numbers
    scale: float
    before: float
    after: float
    least: float


def read_samples(variant: str, positions: Iterable[LabelledPosition]) -> Samples:
    """Count everything that has a weight in positions, at least one."""
    dialect = find_dialect(variant)
    evaluation = EVALUATIONS[variant]
    counts, labels = [], []
    for labelled in positions:
        position = dialect.read_fen(labelled.fen)
        counts.append(np.array(_count(evaluation, position), dtype=np.int16))
        outlook = 1 - labelled.outlook if position.side else labelled.outlook
        labels.append((outlook, labelled.game))
    outlooks, games = np.array(labels, dtype=np.float64).T
    return Samples(np.array(counts), outlooks, games.astype(np.int64))


def fit_weights(evaluation: Evaluation, samples: Samples) -> Fit:
    """The weights under which the positions' outlooks are likeliest (logistic regression).

    A weight about which they say little stays near what it was. The errors treat the positions of
    one game as one observation.
    """
    held_out = samples.games % HELD_OUT == 0
    fitted, judged = samples.of_games(~held_out), samples.of_games(held_out)
    weights, spreads = _expect(evaluation)
    before = weights / evaluation.scale
    tied = (evaluation.scale / spreads) ** 2
    found = before.copy()
    curvature = np.diag(tied)
    for _ in range(ROUNDS):
        slope = tied * (before - found)
        curvature = np.diag(tied)
        for rows, block in fitted.blocks():
            chances = _chances(block @ found)
            slope += block.T @ (fitted.outlooks[rows] - chances)
            curvature += block.T @ (block * (chances * (1 - chances))[:, None])
        found = found + np.linalg.solve(curvature, slope)
    errors = _errors(fitted, fitted.outlooks - fitted.chances(found), curvature)
    unit = found[0] / 100
    wanted = judged.outlooks
    terms = len(evaluation.names)
    return Fit(
        found[:terms] / unit,
        errors[:terms] / unit,
        found[terms:] / unit,
        1 / unit,
        _loss(wanted, judged.chances(before)),
        _loss(wanted, judged.chances(found)),
        _loss(wanted, wanted),
    )


def _count(evaluation: Evaluation, position: Any) -> list[int]:
    """What is counted in a position: the tables' numbers one by one, not their sum."""
    counts = evaluation.count(position)
    if tables := evaluation.piece_squares:
        counts[tables.term] = 0
        counts += tables.count(position)
    return counts


def _expect(evaluation: Evaluation) -> tuple[Numbers, Numbers]:
    """The current weights for what `_count` counts, and how far they may be off."""
    weights = np.array(evaluation.weights, dtype=np.float64)
    spreads = np.maximum(LEAST, np.abs(weights))
    if tables := evaluation.piece_squares:
        numbers = np.array(tables.numbers, dtype=np.float64)
        weights = np.concatenate([weights, numbers])
        spreads = np.concatenate([spreads, np.maximum(LEAST_SQUARE, np.abs(numbers))])
    return weights, spreads


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
    if tables := evaluation.piece_squares:
        lines += ["piece-square tables:", *_write_tables(tables, fit)]
    return "\n".join(lines)


def _write_tables(tables: PieceSquares, fit: Fit) -> Iterator[str]:
    """The numbers of piece-square tables as lines of Python, a rank each."""
    numbers = [round(number) for number in fit.piece_squares]
    for first in range(0, len(numbers), tables.files):
        yield f"    *({', '.join(map(str, numbers[first : first + tables.files]))}),"


def _chances(odds: Numbers) -> Numbers:
    """Winning chances for logarithms of odds, never quite 0 or 1."""
    return np.asarray(1 / (1 + np.exp(-np.clip(odds, -15, 15))), dtype=np.float64)


def _loss(labels: Numbers, chances: Numbers) -> float:
    chances = np.clip(chances, 1e-9, 1 - 1e-9)
    return float(-np.mean(labels * np.log(chances) + (1 - labels) * np.log(1 - chances)))


def _errors(samples: Samples, residuals: Numbers, curvature: Numbers) -> Numbers:
    """Standard errors by the sandwich estimator with games as clusters."""
    _, numbers = np.unique(samples.games, return_inverse=True)
    sums = np.zeros((numbers.max() + 1, samples.counts.shape[1]))
    for rows, block in samples.blocks():
        np.add.at(sums, numbers[rows], block * residuals[rows, None])
    inverse = np.linalg.inv(curvature)
    covariances = inverse @ (sums.T @ sums) @ inverse
    return np.asarray(np.sqrt(np.diag(covariances)), dtype=np.float64)
