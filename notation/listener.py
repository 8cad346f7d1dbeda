"""What receives a record's lines while they are played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from engine.position import Position


class Listener(Protocol):
    """Receives a game's lines in short form, action by action.

    See `notation.movetext.Movetext`, which writes them.
    """

    def add_action(self, number: int, side: int, san: str, before: Sequence[str] = ()) -> None:
        """Receive an action by `side` in full move `number`, with the comments before it."""

    def add_actions(self, turns: Sequence[int], sans: Sequence[str]) -> None:
        """Receive consecutive actions with nothing beside them.

        A turn is twice the number of the full move, plus 1 if the second side acts.
        """

    def add_annotations(self, nags: Sequence[int], after: Sequence[str]) -> None:
        """Receive the glyphs and the comments after the last action."""

    def open_variation(self) -> Listener | None:
        """The listener for a variation of the last action; None to ignore it."""

    def close_variation(self) -> None:
        """End the variation that this listener is for."""


class PositionListener(Protocol):
    """Receives the positions of a game's line, without those of variations."""

    def begin(self, variant: str, position: Position) -> None:
        """Receive the first position, which will be changed as the game is played."""

    def add(self, identities: Sequence[bytes]) -> None:
        """Receive the `Dialect.identify` values of the next positions."""
