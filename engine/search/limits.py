"""How far a search may go."""

from __future__ import annotations

from dataclasses import dataclass

from engine.errors import InvalidLimits
from engine.position import MAX_DEPTH
from engine.search.time_management import TimeBudget


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a search; at least one is given, and the first one reached ends it.

    `depth` counts actions from the root, 1 to `MAX_DEPTH`. `nodes` is kept exactly, `seconds` to
    within a few thousand nodes. With a `budget` the search ends when its time is better kept for
    later actions, and at once where there is only one legal action. Raises InvalidLimits.

    >>> Limits(depth=4, nodes=100_000)
    Limits(depth=4, nodes=100000, seconds=None, budget=None)
    """

    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    budget: TimeBudget | None = None

    def __post_init__(self) -> None:
        if (self.depth, self.nodes, self.seconds, self.budget) == (None, None, None, None):
            raise InvalidLimits("limits", "none is given")
        if self.depth is not None and not 1 <= self.depth <= MAX_DEPTH:
            raise InvalidLimits("depth", f"{self.depth} is not from 1 to {MAX_DEPTH}")
        if self.nodes is not None and self.nodes < 1:
            raise InvalidLimits("nodes", f"{self.nodes} is not positive")
        if self.seconds is not None and not self.seconds > 0:
            raise InvalidLimits("seconds", f"{self.seconds} is not positive")
