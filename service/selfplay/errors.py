"""What keeps a match from being played.

NoOpening
├── GamesTooShort      random games are over before the opening is
└── NoBalancedOpening  no opening is as balanced as wanted
"""

from __future__ import annotations

from engine.described_error import DescribedError


class NoOpening(DescribedError):
    """Base of the errors for openings that do not exist, or are too rare; `tries` were made."""

    tries: int


class GamesTooShort(NoOpening):
    """Every random game that was tried was over before it had `plies` plies, or with them."""

    message = "of {tries} random games none goes on after {plies} plies: ask for a shorter opening"
    plies: int


class NoBalancedOpening(NoOpening):
    """Every random opening that was tried gives one side a chance above `chance`."""

    message = "of {tries} random openings none leaves each side a chance of {chance:g} at most"
    chance: float
