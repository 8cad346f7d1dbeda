"""Statistics of a match: the score with its interval, the Elo difference, a sequential test.

Games come in pairs from one opening with sides swapped, so the unit of chance is the pair: its
result is a fraction of two points, one of 0, 0.25, 0.5, 0.75 and 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, log, log10, sqrt
from operator import mul
from typing import Final

Z: Final = 1.959964
"""The standard normal's quantile for limits of 95 %."""
BOUND: Final = log(0.95 / 0.05)
"""The ratio at which the sequential test accepts a hypothesis."""
RESULTS: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The possible results of a pair."""
UNSEEN: Final = 1e-3
"""The number of pairs that a result counts as if it has not occurred."""
HALVINGS: Final = 60
"""Steps of a bisection, enough to fix every digit of a float."""
CLOSE: Final = 1e-7
"""How closely the limits of a share are found."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % limits."""

    value: float
    low: float
    high: float


def score(pairs: Sequence[float]) -> Estimate:
    """The expected share of points from the results of pairs, at least one of them.

    Each limit is the farther one of two methods. Wilson's also holds if every game was won, but is
    too close to one half where one player is much stronger; the likelihood's is the other way
    round.

    >>> found = score([1.0, 1.0, 0.5, 1.0])
    >>> found.value, round(found.low, 3), round(found.high, 3)
    (0.875, 0.423, 0.992)
    """
    limits = limit_by_wilson(pairs), limit_by_likelihood(pairs)
    mean = sum(pairs) / len(pairs)
    return Estimate(mean, min(low for low, _ in limits), max(high for _, high in limits))


def limit_by_wilson(pairs: Sequence[float]) -> tuple[float, float]:
    """Limits of the expected share by Wilson's score interval.

    (Probable Inference, the Law of Succession, and Statistical Inference, 1927), with the pairs'
    own variance in place of the binomial one.
    """
    count = len(pairs)
    error = variance(pairs) / count
    spread = Z * Z / count
    middle = (sum(pairs) / count + spread / 2) / (1 + spread)
    half = Z * sqrt(error + spread / (4 * count)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def limit_by_likelihood(pairs: Sequence[float]) -> tuple[float, float]:
    """Limits of the expected share by the likelihood ratio.

    (Wilks, The Large-Sample Distribution of the Likelihood Ratio, 1938.) Between them are the
    shares that explain the frequencies of the five results well enough.
    """
    counts = [number or UNSEEN for number in count_pairs(pairs)]
    total = sum(counts)
    best = _likelihood(counts, [number / total for number in counts])
    mean = sum(map(mul, counts, RESULTS)) / total

    def is_likely(share: float) -> bool:
        return 2 * (best - _likelihood(counts, _likeliest(counts, share))) < Z * Z

    return _find_limit(is_likely, mean, 0.0), _find_limit(is_likely, mean, 1.0)


def _find_limit(is_likely: Callable[[float], bool], inside: float, outside: float) -> float:
    """The share between a likely one and an extreme one at which it ceases to be likely."""
    while abs(inside - outside) > CLOSE:
        middle = (inside + outside) / 2
        if is_likely(middle):
            inside = middle
        else:
            outside = middle
    return outside


def _likelihood(counts: Sequence[float], chances: Sequence[float]) -> float:
    """The logarithm of the likelihood of results that have these chances."""
    return sum(number * log(chance) for number, chance in zip(counts, chances, strict=True))


def variance(pairs: Sequence[float]) -> float:
    """The sample variance of the results of pairs."""
    mean = sum(pairs) / len(pairs)
    return sum((one - mean) ** 2 for one in pairs) / len(pairs)


def elo(share: float) -> float:
    """The Elo difference of two players if the first scores this share, infinite at 0 and 1.

    >>> round(elo(0.75))
    191
    """
    if share <= 0:
        return -inf
    if share >= 1:
        return inf
    return 400 * log10(share / (1 - share))


def share(difference: float) -> float:
    """The expected share of points for an Elo difference.

    >>> round(share(191), 2)
    0.75
    """
    return 1 / (1 + 10 ** (-difference / 400))


def count_pairs(pairs: Sequence[float]) -> tuple[int, ...]:
    """How many pairs had each result, from 0 to 1 (the pentanomial frequencies).

    >>> count_pairs([1.0, 0.5, 1.0, 0.75])
    (0, 0, 1, 1, 2)
    """
    counted = Counter(pairs)
    return tuple(counted[result] for result in RESULTS)


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """The generalised sequential probability ratio test of two Elo differences.

    `lower` and `upper` are the differences of the two hypotheses; each is mistaken for the other
    with a probability of 5 %. A hypothesis only gives the expected result of a pair, so each is
    tested with the frequencies of the five results that explain the pairs best (Van den Bergh, A
    Practical Introduction to the GSPRT, as in Stockfish's fishtest).
    """

    lower: float
    upper: float

    def ratio(self, pairs: Sequence[float]) -> float:
        """The log-likelihood ratio of the upper hypothesis to the lower one.

        A result that has not occurred is counted as a thousandth of a pair.
        """
        if not pairs:
            return 0.0
        counts = [number or UNSEEN for number in count_pairs(pairs)]
        low, high = (_likeliest(counts, share(one)) for one in (self.lower, self.upper))
        return _likelihood(counts, high) - _likelihood(counts, low)

    def verdict(self, pairs: Sequence[float]) -> str | None:
        """`upper` or `lower` as soon as that hypothesis is accepted, else None."""
        ratio = self.ratio(pairs)
        if abs(ratio) < BOUND:
            return None
        return "upper" if ratio > 0 else "lower"


def _likeliest(counts: Sequence[float], mean: float) -> list[float]:
    """The probabilities of the five results under which these counts are likeliest.

    `mean` is the expected result. They are the frequencies, each divided by 1 + x (result - mean),
    with the x for which the expectation is right.
    """
    total = sum(counts)
    frequencies = [
        (result - mean, number / total) for result, number in zip(RESULTS, counts, strict=True)
    ]
    low, high = -1 / (1 - mean), 1 / mean
    for _ in range(HALVINGS):
        x = (low + high) / 2
        if sum(chance * more / (1 + x * more) for more, chance in frequencies) > 0:
            low = x
        else:
            high = x
    return [chance / (1 + x * more) for more, chance in frequencies]
