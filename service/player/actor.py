"""Who carries out a command."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Actor:
    """A player's id and the scopes of the token that the player's request came with."""

    player: str
    scopes: frozenset[str] = frozenset()
