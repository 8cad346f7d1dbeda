"""The player who sends a command."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Actor:
    """A player's id and the scopes of the token in the player's request."""

    player: str
    scopes: frozenset[str] = frozenset()
