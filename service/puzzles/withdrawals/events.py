"""What can have happened to a puzzle that is withdrawn, or was. Stored names never change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from service.log.declarations import event
from service.log.values import Event


@event("puzzle-withdrawn/1")
class PuzzleWithdrawn(Event):
    """An admin has withdrawn the puzzle; the `reason` may be empty."""

    variant: str
    reason: str


@event("puzzle-restored/1")
class PuzzleRestored(Event):
    """An admin has restored the puzzle."""


EVENTS: Final[Mapping[str, type[Event]]] = {
    one.stored_name: one for one in (PuzzleWithdrawn, PuzzleRestored)
}
