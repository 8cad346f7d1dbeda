"""Random games: the test that every game passes, and material for others."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import TypeVar

from engine.position import Action, Position

AnyPosition = TypeVar("AnyPosition", bound=Position)


def random_play(
    position: AnyPosition, random: Random, plies: int
) -> Iterator[tuple[Action, AnyPosition]]:
    """Play at most `plies` legal actions at random, or until the game is over.

    Yields each action with the position it led to, which is `position` itself, changed in place.
    Equal positions and generators in equal states give equal games.
    """
    for _ in range(plies):
        actions = position.legal()
        if not actions:
            return
        action = random.choice(actions)
        position.play(action)
        yield action, position
