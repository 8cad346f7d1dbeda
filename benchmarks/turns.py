"""Candidate and baseline measured in turn."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from tqdm import tqdm

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Measurement:
    """One line of the report: what was measured, against what, and how it came out.

    `bar` is what the ratio has to reach or, with `most`, may not exceed. It is None for a figure
    that only informs.
    """

    name: str
    candidate: str
    baseline: str
    ratio: float
    bar: float | None = None
    most: bool = False

    @property
    def met(self) -> bool | None:
        """Whether the bar is met, None without one."""
        if self.bar is None:
            return None
        return self.ratio <= self.bar if self.most else self.ratio >= self.bar

    def __str__(self) -> str:
        sign = "≤" if self.most else "≥"
        bar = "" if self.bar is None else f"   (bar {sign} {self.bar:g}: {self.verdict})"
        return (
            f"{self.name}\n    {self.candidate}; {self.baseline}\n    ratio {self.ratio:.2f}{bar}"
        )

    @property
    def verdict(self) -> str:
        """The bar's outcome in a word."""
        return "met" if self.met else "MISSED"


def measure_in_turn(
    name: str, candidate: Callable[[], float], baseline: Callable[[], float], rounds: int
) -> tuple[float, float, float]:
    """Both measured `rounds` times in turn: the medians of both and of their ratios.

    The first round of each warms up and does not count.
    """
    pairs: list[tuple[float, float]] = []
    for _ in progress(range(rounds + 1), name):
        pairs.append((candidate(), baseline()))
    counted = pairs[1:]
    ratios = [one / other for one, other in counted]
    ours, theirs = zip(*counted, strict=True)
    return statistics.median(ours), statistics.median(theirs), statistics.median(ratios)


def progress(steps: Iterable[T], name: str) -> Iterable[T]:
    """The steps with a progress bar, if the output is a terminal."""
    return tqdm(steps, desc=name, leave=False, disable=not sys.stderr.isatty())
