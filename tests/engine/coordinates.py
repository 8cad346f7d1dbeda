"""Actions in coordinate form, and how a game ended, for the tests of every game."""

from __future__ import annotations

from typing import TypeVar

from engine.position import Action, Position
from notation.dialect import Dialect

P = TypeVar("P", bound=Position)


class Coordinates:
    """The actions of a game's positions, written in its dialect."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect

    def names(self, position: Position) -> set[str]:
        """The legal actions in coordinate form."""
        return {self.dialect.coordinate(action) for action in position.legal()}

    def action(self, position: Position, name: str) -> Action:
        """The legal action with this coordinate form."""
        return next(each for each in position.legal() if self.dialect.coordinate(each) == name)

    def play(self, position: P, *line: str) -> P:
        """Play actions given in coordinate form and return the position."""
        for name in line:
            position.play(self.action(position, name))
        return position


def ended(position: Position) -> tuple[str, str] | None:
    """The result and the termination; None while the game goes on."""
    outcome = position.outcome()
    return None if outcome is None else (outcome.result, outcome.termination.value)
