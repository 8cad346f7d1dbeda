"""The best lines that a search has found so far at one depth."""

from __future__ import annotations

from dataclasses import dataclass

from engine.search.iteration import ScoredLine
from engine.search.score import INFINITE


@dataclass(frozen=True, slots=True)
class BestLines:
    """The best lines found at one depth, best first; of equal lines, those found first."""

    lines: tuple[ScoredLine, ...]
    wanted: int

    @property
    def least(self) -> int:
        """The score that a further action must exceed to be among them."""
        return self.lines[-1].score if len(self.lines) == self.wanted else -INFINITE

    def with_line(self, line: ScoredLine) -> BestLines:
        """These lines and one more, without the worst where that makes too many."""
        ranked = sorted((*self.lines, line), key=lambda one: -one.score)
        return BestLines(tuple(ranked[: self.wanted]), self.wanted)
