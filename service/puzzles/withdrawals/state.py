"""The withdrawal of a puzzle: the fold of its events."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from service.log.folding import make_fold
from service.log.values import Recorded, StreamId
from service.puzzles.withdrawals.events import PuzzleRestored, PuzzleWithdrawn

KIND: Final = "withdrawal"


def stream_of(puzzle: str) -> StreamId:
    """The stream of a puzzle's withdrawal."""
    return StreamId(KIND, puzzle)


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """The withdrawal of the puzzle `id`; no longer `in_force` once the puzzle is restored.

    `version` is the number of events; `updated_at` is in milliseconds since 1970 UTC.
    """

    id: str
    variant: str
    reason: str
    in_force: bool
    version: int
    head: str
    updated_at: int


def evolve(state: Withdrawal | None, id: str, entry: Recorded) -> Withdrawal:
    """The state after one more event."""
    event = entry.event
    if isinstance(event, PuzzleWithdrawn):
        variant, reason = event.variant, event.reason
    elif isinstance(event, PuzzleRestored) and state is not None:
        variant, reason = state.variant, state.reason
    else:
        raise TypeError(f"{type(event).__name__} has no effect here")
    in_force = isinstance(event, PuzzleWithdrawn)
    return Withdrawal(id, variant, reason, in_force, entry.version, entry.hash, entry.at)


fold: Final = make_fold(evolve)
"""The fold of the events of a puzzle's withdrawal."""
