"""The table of the computer's levels: its players and how strong each of them is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from service.ids import derived_id
from service.player.names.name_policy import COMPUTER

LAST_FOR_NEWCOMERS: Final = 4
"""The number of the strongest level that never resigns."""


@dataclass(frozen=True, slots=True)
class Level:
    """How strong one of the computer's players is; `docs/computer.md` has the measurements.

    `nodes` and `seconds` bound the search for an action. Its candidates, the `lines` best ones, are
    judged with a random error: the standard deviation `error` is in the variant's own scale, so
    that an error of 1 multiplies the odds of winning by e.
    """

    number: int
    nodes: int
    seconds: float
    error: float
    lines: int

    @property
    def resigns(self) -> bool:
        """Whether it resigns; the levels that newcomers meet play on, so that they see the end."""
        return self.number > LAST_FOR_NEWCOMERS

    @property
    def name(self) -> str:
        """The name of this level's player; nobody else can have such a name."""
        return f"{COMPUTER}{self.number}"

    @property
    def player(self) -> str:
        """The id of the player of this level, the same in every service."""
        return derived_id(b"", "computer", str(self.number))


LEVELS: Final = (
    Level(1, nodes=300, seconds=0.5, error=2.4, lines=24),
    Level(2, nodes=600, seconds=0.6, error=1.5, lines=16),
    Level(3, nodes=1_200, seconds=0.8, error=1.0, lines=12),
    Level(4, nodes=2_500, seconds=1.0, error=0.7, lines=10),
    Level(5, nodes=6_000, seconds=1.2, error=0.48, lines=8),
    Level(6, nodes=15_000, seconds=1.5, error=0.32, lines=8),
    Level(7, nodes=40_000, seconds=2.0, error=0.18, lines=6),
    Level(8, nodes=150_000, seconds=3.0, error=0.0, lines=1),
)
"""Every level, weakest first."""

LEVEL_OF: Final[Mapping[str, Level]] = {level.player: level for level in LEVELS}
"""The levels by the ids of their players."""

PLAYER_OF: Final[Mapping[str, str]] = {level.name: level.player for level in LEVELS}
"""The ids of the computer's players by their names."""


def seats_computer(players: Iterable[str | None]) -> bool:
    """Whether one of these players is the computer."""
    return not LEVEL_OF.keys().isdisjoint(players)
