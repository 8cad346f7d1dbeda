"""How thoroughly a position is searched. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Self

MOST_DEPTH: Final = 64
MOST_NODES: Final = 10**9
MOST_SECONDS: Final = 600
"""The most seconds of a position's search; the best line so far is then the answer."""
MOST_LINES: Final = 16
MOST_SEED: Final = 2**32 - 1
NODES: Final = 1_000_000
"""The nodes of a position's search unless the request says otherwise."""
NODES_A_PLY: Final = 100_000
"""The nodes for each position of a whole game."""
WORLDS: Final = 16
"""How many guesses of a position's unknown choices are searched; they share the limits."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """Limits for each position, at least one of them set, and the way it is searched.

    `lines` is how many of the best first actions are reported. `seed` makes the choice between
    equal actions, and the guesses of unknown choices, repeatable. With `draw_by_points` a draw goes
    to the side with more points.
    """

    depth: int | None = None
    nodes: int | None = None
    seconds: int | None = None
    lines: int = 1
    seed: int = 0
    draw_by_points: bool = False

    @property
    def limits(self) -> dict[str, int]:
        """The limits that are set, by name."""
        given = {"depth": self.depth, "nodes": self.nodes, "seconds": self.seconds}
        return {name: limit for name, limit in given.items() if limit is not None}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """The parameters that `to_json` wrote."""
        return cls(**values)

    def to_json(self) -> dict[str, int]:
        """Return the parameters that are set, as JSON values."""
        agreed = {"draw_by_points": True} if self.draw_by_points else {}
        return {**self.limits, "lines": self.lines, "seed": self.seed, **agreed}


def apply_default(parameters: Parameters, *, whole_game: bool) -> Parameters:
    """The parameters, with a limit of nodes if they have no limit at all."""
    if parameters.limits:
        return parameters
    nodes = NODES_A_PLY if whole_game else NODES
    return replace(parameters, nodes=nodes)
