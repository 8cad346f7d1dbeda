"""The points that each action of a game has brought, which a FEN does not say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from engine.position import Action, Position


class Gain(NamedTuple):
    """Points that an action has brought to a side, at least 1."""

    side: int
    points: int


def play_counted(position: Position, action: Action) -> list[Gain]:
    """Play an action on the position, and return the points that it brings, if the game has any."""
    before = position.points()
    position.play(action)
    after = position.points()
    if before is None or after is None:
        return []
    return [
        Gain(side, after[side] - before[side]) for side in range(2) if after[side] > before[side]
    ]


def list_gains(position: Position, actions: Iterable[Action]) -> list[Gain]:
    """The points that actions bring, played in sequence from a position, in their order.

    The position is changed to the one after the actions.
    """
    return [gain for action in actions for gain in play_counted(position, action)]
