"""How games are played for training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from engine.search import Techniques
from engine.variant import Variant

OPENINGS: Final[Mapping[str, int]] = {"katruji": 6, "kerak": 44, "kerd": 12, "kerd-draft": 12}
"""The most random actions at the beginning of a game. In Kerak, 36 of them place the armies."""
LONGEST_OPENING: Final = 8
"""The same in a game that is not listed."""

EPOCHS: Final = 4
"""How often a network is fitted to each position."""
RATE: Final = 0.002
"""How fast a network is fitted."""
DECAY: Final = 1e-5
"""How strongly a network's weights are pulled towards 0."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How games of every variant are played; equal plans give equal games.

    A game begins with a random number of random actions: at most `random_actions`, or as many as
    suit its variant. After them each action is searched for `nodes` nodes, but one in `strays` is
    random. It is drawn after `ply_limit` plies, and when a position occurs for the third time.
    `without` names techniques that the search does not use, joined by `+`. With `void_choices` no
    secret choice has an effect; otherwise they are random, and both sides know them.
    """

    seed: int = 0
    nodes: int = 2_000
    strays: int = 40
    ply_limit: int = 400
    random_actions: int | None = None
    without: str = ""
    void_choices: bool = False

    def opening(self, variant: str) -> int:
        """The most random actions at the beginning of a game of a variant."""
        if self.random_actions is not None:
            return self.random_actions
        return OPENINGS.get(variant, LONGEST_OPENING)

    def techniques(self, variant: Variant) -> Techniques:
        """The techniques of the search in a variant; ValueError for an unknown one."""
        techniques = variant.techniques
        for name in filter(None, self.without.split("+")):
            techniques = techniques.without(name)
        return techniques
