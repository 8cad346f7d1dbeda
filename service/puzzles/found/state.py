"""The puzzles of a game: the fold of what was found in it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from service.log.folding import make_fold
from service.log.values import GENESIS, Recorded, StreamId
from service.puzzles.found.events import PuzzlesFound
from service.puzzles.found.found_puzzle import FoundPuzzle

KIND: Final = "puzzles"


def stream_of(game: str) -> StreamId:
    """The stream of a game's puzzles."""
    return StreamId(KIND, game)


@dataclass(frozen=True, slots=True)
class GamePuzzles:
    """The puzzles found in the game `id`, each once, and the analyses by which it was searched.

    `version` is the number of events; `updated_at` is in milliseconds since 1970 UTC.
    """

    id: str
    analyses: tuple[str, ...] = ()
    puzzles: tuple[FoundPuzzle, ...] = ()
    version: int = 0
    head: str = GENESIS
    updated_at: int = 0


def evolve(state: GamePuzzles | None, id: str, entry: Recorded) -> GamePuzzles:
    """The state after one more event."""
    if not isinstance(entry.event, PuzzlesFound):
        raise TypeError(f"{type(entry.event).__name__} has no effect here")
    before = state or GamePuzzles(id)
    return replace(
        before,
        analyses=(*before.analyses, entry.event.analysis),
        puzzles=(*before.puzzles, *read_puzzles(entry.event)),
        version=entry.version,
        head=entry.hash,
        updated_at=entry.at,
    )


fold: Final = make_fold(evolve)
"""The fold of the events of a game's puzzles."""


def read_puzzles(event: PuzzlesFound) -> list[FoundPuzzle]:
    """The puzzles of an event."""
    return [FoundPuzzle.from_json(event.variant, one) for one in event.puzzles]
