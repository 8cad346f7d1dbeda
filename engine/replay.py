"""A game replayed: from its actions to the position they lead to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from engine.errors import IllegalAction
from engine.position import Action, Position

AnyPosition = TypeVar("AnyPosition", bound=Position)


def replay(position: AnyPosition, actions: Iterable[Action]) -> AnyPosition:
    """Play `actions` in order on `position` and return it.

    Raises IllegalAction, whose `ply` counts from 1; the position is then as before that action.
    """
    for ply, action in enumerate(actions, 1):
        try:
            position.play(action)
        except IllegalAction as error:
            raise IllegalAction(action, ply) from error
    return position
