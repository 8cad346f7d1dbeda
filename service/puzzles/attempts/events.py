"""What can have happened to a solver. Stored names never change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from service.log.declarations import event
from service.log.values import Event


@event("puzzle-attempted/1")
class PuzzleAttempted(Event):
    """A player's first attempt at a puzzle is over.

    `actions` are the solver's own in coordinate form; if the puzzle is not solved, the last may be
    a wrong one. `help` is what the solver asked for instead of going on, "" for nothing. `estimate`
    is the puzzle's rating before anybody had tried it.
    """

    puzzle: str
    variant: str
    solved: bool
    actions: tuple[str, ...]
    estimate: int
    help: str = ""


EVENTS: Final[Mapping[str, type[Event]]] = {PuzzleAttempted.stored_name: PuzzleAttempted}
