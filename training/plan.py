"""How games are played for training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

OPENINGS: Final[Mapping[str, int]] = {"katruji": 6, "kerak": 44, "kerd": 12, "kerd-draft": 12}
"""The most random actions at the beginning of a game. In Kerak 36 of them place the armies."""
LONGEST_OPENING: Final = 8
"""The same in a game that is not listed."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What games are like, whatever their variant; equal plans give equal games.

    A game begins with a random number of random actions. Behind them each action is searched for
    `nodes` nodes, but one in `strays` is random. It is drawn after `ply_limit` plies, and when a
    position occurs for the third time.
    """

    seed: int = 0
    nodes: int = 2_000
    strays: int = 40
    ply_limit: int = 400

    def opening(self, variant: str) -> int:
        """The most random actions at the beginning of a game of a variant."""
        return OPENINGS.get(variant, LONGEST_OPENING)
