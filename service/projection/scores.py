"""How games went for a player: counts, and the longest rows of wins, of losses and without any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from service.projection.summary import DRAWN, LOST, WON

STREAKS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "winning": frozenset({WON}),
        "unbeaten": frozenset({WON, DRAWN}),
        "losing": frozenset({LOST}),
    }
)
"""Kinds of streaks, and how a game goes that lengthens one; a game that goes otherwise ends it."""


@dataclass(slots=True)
class Streak:
    """Games of one kind one after the other: the most there were, and how many there are now."""

    longest: int = 0
    current: int = 0

    def count(self, lengthens: bool) -> None:
        """Add the next game."""
        self.current = self.current + 1 if lengthens else 0
        self.longest = max(self.longest, self.current)


@dataclass(slots=True)
class Score:
    """Finished games of a player by how they went.

    `unclear` are those that went no way: without a result, or with one player on both sides.
    `streaks` has each of STREAKS.
    """

    won: int = 0
    drawn: int = 0
    lost: int = 0
    unclear: int = 0
    streaks: dict[str, Streak] = field(default_factory=lambda: {kind: Streak() for kind in STREAKS})

    @property
    def games(self) -> int:
        """How many games there are."""
        return self.won + self.drawn + self.lost + self.unclear

    def count(self, went: str | None, dated: bool) -> None:
        """Add the next game in the order of play; one of an unknown day is in no streak."""
        if went == WON:
            self.won += 1
        elif went == DRAWN:
            self.drawn += 1
        elif went == LOST:
            self.lost += 1
        else:
            self.unclear += 1
        if dated and went is not None:
            for kind, lengthens in STREAKS.items():
                self.streaks[kind].count(went in lengthens)
