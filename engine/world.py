"""The positions that a position with something unknown may really be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from engine.position import Position


@dataclass(frozen=True, slots=True)
class World:
    """A position with nothing unknown, and its probability, from 0 to 1, given what is known."""

    position: Position
    weight: float


Worlds = Callable[[Any, int, Random], Sequence[World]]
"""Makes at most the given number of worlds of a position; their weights add up to 1."""


def single_world(position: Position, count: int, random: Random) -> Sequence[World]:
    """The one world of a position in which nothing is unknown."""
    return (World(position.copy(), 1.0),)


def copy_position(position: Position) -> Position:
    """The plain world of a position in which nothing is unknown."""
    return position.copy()
