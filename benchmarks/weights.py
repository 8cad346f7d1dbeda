"""Weights of an evaluation's terms, measured by games of the search against itself.

    python -m benchmarks.weights VARIANT [GAMES [NODES]]

plays `GAMES` games at `NODES` a move, from openings of random actions, and prints what a
logistic regression of their results on the terms makes of them: for each term its weight and
its standard error in hundredths of the unit, that of the first term being 100; the scale, that
is how many hundredths multiply the odds of winning by e; and, from a second regression on the
terms of material alone, what pieces are worth where nothing else is looked at.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from math import exp, sqrt
from random import Random
from typing import Any, Final

from benchmarks.turns import progress
from engine.katruji import evaluation as katruji
from engine.kerak import evaluation as kerak
from engine.kerd import evaluation as kerd
from engine.kerd.kernel import Position as Kerd
from engine.kerd.terms import SCALE, WEIGHTS, Term
from engine.registry import VARIANTS
from engine.replay import replay
from engine.search import Limits, Search, is_decided

LONGEST: Final = 400
"""Plies of a game, which is drawn there."""
EVERY: Final = 4
"""One in so many positions of a game is looked at."""
STRAY: Final = 20
"""One in so many actions is random."""
TOGETHER: Final = 5
"""Positions of one game share its result: so many tell as much as one."""
LEAST: Final = 5
"""A weight is expected to be as before, give or take as much again or at least so many hundredths:
what the games say little about stays as it is."""
ROUNDS: Final = 12


@dataclass(frozen=True, slots=True)
class Evaluation:
    """A game's terms: how they are counted, which are material, and how long openings are."""

    names: type[IntEnum]
    count: Callable[[Any], list[int]]
    material: Sequence[int]
    opening: int
    weights: Sequence[int]
    scale: int


def count_kerd(position: Kerd) -> list[int]:
    """The terms of a position of Kerd."""
    return kerd.terms(position.state)


EVALUATIONS: Final[Mapping[str, Evaluation]] = {
    "katruji": Evaluation(katruji.Term, katruji.terms, [0], 6, katruji.WEIGHTS, katruji.SCALE),
    "kerak": Evaluation(kerak.Term, kerak.terms, [0], 36, kerak.WEIGHTS, kerak.SCALE),
    "kerd": Evaluation(Term, count_kerd, range(8), 12, WEIGHTS, SCALE),
    "kerd-draft": Evaluation(Term, count_kerd, range(8), 12, WEIGHTS, SCALE),
}


@dataclass(frozen=True, slots=True)
class Sample:
    """What is counted in one position, and what the first side made of its game, from 0 to 1."""

    terms: Sequence[int]
    result: float


def play(variant: str, nodes: int, random: Random) -> Iterator[Sample]:
    """One game, and what it gives.

    The terms are those at the end of the line that the search expects, where nothing is left
    hanging; positions in which the game is decided are left out.
    """
    game = VARIANTS[variant]
    evaluation = EVALUATIONS[variant]
    search = Search(game, table_mebibytes=4, seed=random.getrandbits(32))
    position = game.worlds(game.start(), 2, random)[0].position
    strays = random.randrange(evaluation.opening + 1)
    found: list[list[int]] = []
    ply = 0
    while ply < LONGEST and (legal := position.legal()):
        action = random.choice(legal)
        if ply >= strays and random.randrange(STRAY):
            *_, last = search.iterate(position, Limits(nodes=nodes))
            line = last.lines[0]
            action = line.actions[0]
            if random.randrange(EVERY) == 0 and not is_decided(line.score):
                found.append(evaluation.count(replay(position.copy(), line.actions)))
        position.play(action)
        ply += 1
    outcome = position.outcome()
    result = 0.5 if outcome is None or outcome.winner is None else 1.0 - outcome.winner
    return (Sample(terms, result) for terms in found)


def regression(
    samples: Sequence[Sample], terms: Sequence[int], expected: Sequence[float], scale: float
) -> tuple[list[float], list[list[float]]]:
    """The logistic regression of results on some terms, by Newton's method.

    `expected` are the weights as they were. Returns the logarithm of the odds that one of each
    term is worth, and their covariances.
    """
    size = len(terms)
    rows = [([float(sample.terms[t]) for t in terms], sample.result) for sample in samples]
    prior = [weight / scale for weight in expected]
    binding = [(scale / max(LEAST, abs(weight))) ** 2 for weight in expected]
    found = list(prior)
    inverse: list[list[float]] = []
    for _ in range(ROUNDS):
        slope = [bind * (was - now) for bind, was, now in zip(binding, prior, found, strict=True)]
        curvature = [[binding[i] * (i == j) for j in range(size)] for i in range(size)]
        for row, result in rows:
            total = sum(a * b for a, b in zip(row, found, strict=True))
            chance = 1 / (1 + exp(-max(-30.0, min(30.0, total))))
            weight = chance * (1 - chance) / TOGETHER
            present = [i for i in range(size) if row[i]]
            for i in present:
                slope[i] += (result - chance) * row[i] / TOGETHER
                part = weight * row[i]
                for j in present:
                    curvature[i][j] += part * row[j]
        inverse = inverted(curvature)
        found = [
            value + sum(a * b for a, b in zip(line, slope, strict=True))
            for value, line in zip(found, inverse, strict=True)
        ]
    return found, inverse


def inverted(matrix: Sequence[Sequence[float]]) -> list[list[float]]:
    """The inverse of a positive definite matrix, by elimination.

    >>> inverted([[2.0, 0.0], [0.0, 4.0]])
    [[0.5, 0.0], [0.0, 0.25]]
    """
    size = len(matrix)
    work = [[*row, *(float(i == j) for j in range(size))] for i, row in enumerate(matrix)]
    for i in range(size):
        lead = work[i][i]
        work[i] = [value / lead for value in work[i]]
        for j in range(size):
            if j != i and work[j][i]:
                factor = work[j][i]
                work[j] = [a - factor * b for a, b in zip(work[j], work[i], strict=True)]
    return [row[size:] for row in work]


def report(samples: Sequence[Sample], evaluation: Evaluation, terms: Sequence[int]) -> str:
    """What a regression on some terms finds, as text."""
    expected = [evaluation.weights[term] for term in terms]
    found, covariances = regression(samples, terms, expected, evaluation.scale)
    unit = found[0] / 100
    lines = [f"scale {1 / unit:.0f}"]
    for i, term in enumerate(terms):
        error = sqrt(covariances[i][i]) / unit
        name = evaluation.names(term).name
        lines.append(f"{name:16} {found[i] / unit:7.1f} ± {error:.1f} (was {expected[i]})")
    return "\n".join(lines)


def main(variant: str, games: int = 200, nodes: int = 1000) -> None:
    """Play and print."""
    evaluation = EVALUATIONS[variant]
    random = Random(f"weights {variant}")
    samples = [s for _ in progress(range(games), variant) for s in play(variant, nodes, random)]
    print(f"{variant}: {games} games of {nodes} nodes a move, {len(samples)} positions")
    print(report(samples, evaluation, range(len(evaluation.names))))
    print("Material alone:")
    print(report(samples, evaluation, evaluation.material))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
