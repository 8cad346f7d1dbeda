"""A solver: the fold of a player's attempts at puzzles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from service.log.values import Recorded, StreamId
from service.puzzles.attempts.events import PuzzleAttempted

KIND: Final = "solver"


def stream_of(player: str) -> StreamId:
    """The stream of a player's attempts."""
    return StreamId(KIND, player)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A player's first attempt at a puzzle, by event `version`; `at` is ms since 1970 UTC."""

    version: int
    at: int
    event: PuzzleAttempted


@dataclass(frozen=True, slots=True)
class SolverState:
    """A player as a solver of puzzles, after `version` events; `attempts` are by puzzle."""

    id: str
    attempts: Mapping[str, Attempt]
    version: int
    head: str
    updated_at: int


def fold(
    id: str, recorded: Iterable[Recorded], state: SolverState | None = None
) -> SolverState | None:
    """The state after these events, from `state` or from nothing; None without any event.

    All events are applied at once: copying the attempts for each event would take long if they are
    many.
    """
    attempts = dict(state.attempts) if state else {}
    last = None
    for last in recorded:
        if not isinstance(last.event, PuzzleAttempted):
            raise TypeError(f"{type(last.event).__name__} has no effect here")
        attempts[last.event.puzzle] = Attempt(last.version, last.at, last.event)
    if last is None:
        return state
    return SolverState(id, MappingProxyType(attempts), last.version, last.hash, last.at)
