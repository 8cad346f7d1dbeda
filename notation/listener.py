"""Who is told of a record's lines while they are played."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from engine.position import Position


class Listener(Protocol):
    """Receives a game's lines in short form, action by action.

    See `notation.movetext.Movetext`, which writes them.
    """

    def add_action(self, number: int, side: int, san: str, before: Sequence[str] = ()) -> None:
        """Receive an action with the comments before it, in the full move `number`, by `side`."""

    def add_actions(self, turns: Sequence[int], sans: Sequence[str]) -> None:
        """Receive actions in a row with nothing beside them.

        A turn is twice the number of the full move, 1 more if the second side acts.
        """

    def add_annotations(self, nags: Sequence[int], after: Sequence[str]) -> None:
        """Receive the glyphs and the comments behind the last action."""

    def open_variation(self) -> Listener | None:
        """The listener for a variation of the last action; None to ignore it."""

    def close_variation(self) -> None:
        """End the variation that this listener is for."""


class PositionListener(Protocol):
    """Receives the positions of a game's line; those of variations are not told."""

    def begin(self, variant: str, position: Position) -> None:
        """Receive the first position, which is played on afterwards."""

    def add(self, identities: Sequence[bytes]) -> None:
        """Receive what `Dialect.identify` tells of the next positions."""
