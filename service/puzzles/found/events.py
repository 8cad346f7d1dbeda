"""What can have happened to the puzzles of a game. Stored names never change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from service.log.declarations import event
from service.log.values import Event


@event("puzzles-found/1")
class PuzzlesFound(Event):
    """A game was searched for puzzles by means of its `analysis`; it may have none.

    Each puzzle has the `ply` after which it occurs in the game, its `fen`, the action `last` before
    it or None, the `line` that solves it and its `themes`, with blanks between, and an `estimate`
    of its rating.
    """

    analysis: str
    variant: str
    puzzles: tuple[Mapping[str, Any], ...]


EVENTS: Final[Mapping[str, type[Event]]] = {PuzzlesFound.stored_name: PuzzlesFound}
