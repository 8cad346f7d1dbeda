"""How thoroughly a position is searched. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Self

MOST_DEPTH: Final = 64
MOST_NODES: Final = 10**9
MOST_SECONDS: Final = 600
"""No position is searched longer, whatever was asked; then the best line so far is the answer."""
MOST_LINES: Final = 16
MOST_SEED: Final = 2**32 - 1
NODES: Final = 1_000_000
"""What a position is given unless the request says otherwise."""
NODES_A_PLY: Final = 100_000
"""What each position of a whole game is given."""
WORLDS: Final = 16
"""How many guesses of what is unknown in a position are searched; they share the limits."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """Limits for each position, of which at least one is given, and how it is searched.

    `lines` is how many of the best first actions are told, `seed` makes the choice between equal
    ones, and what is guessed of unknown choices, repeatable. With `draw_by_points` a draw goes to
    the side with more points.
    """

    depth: int | None = None
    nodes: int | None = None
    seconds: int | None = None
    lines: int = 1
    seed: int = 0
    draw_by_points: bool = False

    @property
    def limits(self) -> dict[str, int]:
        """The limits that are given, by name."""
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
    """The parameters with a limit of nodes where they have no limit at all."""
    if parameters.limits:
        return parameters
    nodes = NODES_A_PLY if whole_game else NODES
    return replace(parameters, nodes=nodes)
