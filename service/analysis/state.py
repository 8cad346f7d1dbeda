"""An analysis: the fold of its events."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from service.analysis.events import (
    AnalysisBegun,
    AnalysisEnded,
    AnalysisResumed,
    PositionAnalysed,
    PositionQuarantined,
)
from service.analysis.finding import Finding, parse_finding
from service.analysis.parameters import Parameters
from service.log.folding import make_fold
from service.log.values import GENESIS, Recorded, StreamId

KIND: Final = "analysis"


def stream_of(id: str) -> StreamId:
    """The stream of an analysis."""
    return StreamId(KIND, id)


class AnalysisEnding(StrEnum):
    """The ways in which an analysis can end."""

    DONE = "done"
    CANCELLED = "cancelled"
    """Somebody stopped it; its findings stay, and another request resumes it."""
    QUARANTINED = "quarantined"
    """Its only position killed its workers."""
    REPLACED = "replaced"
    """Another build of the engine does it, as a separate analysis; a request resumes it."""


@dataclass(frozen=True, slots=True)
class Looked:
    """The finding for one position, or the reason why there is none, and the event's version.

    `cut` says that somebody stopped the search there.
    """

    version: int
    finding: Finding | None
    reason: str = ""
    cut: bool = False


@dataclass(frozen=True, slots=True)
class AnalysisState:
    """An analysis after `version` events. Times are milliseconds since 1970 UTC.

    `by` is the player who first requested it, or requested it again after it was stopped. `looked`
    are the positions examined so far, in order.
    """

    id: str
    by: str
    begun_at: int
    begun: AnalysisBegun
    looked: tuple[Looked, ...] = ()
    ended: AnalysisEnded | None = None
    ended_at: int | None = None
    version: int = 1
    head: str = GENESIS
    updated_at: int = 0

    @property
    def parameters(self) -> Parameters:
        """The search parameters for each position."""
        return Parameters.from_json(self.begun.parameters)

    @property
    def done(self) -> int:
        """The number of positions done; the worker continues with the next one."""
        return len(self.looked) - (bool(self.looked) and self.looked[-1].cut)

    @property
    def whole_game(self) -> bool:
        """Whether the analysis is of a whole game, not of one position."""
        return self.begun.game is not None and self.begun.ply is None


def may_resume(state: AnalysisState) -> bool:
    """Whether another request resumes an analysis: one that was stopped or replaced."""
    early = (AnalysisEnding.CANCELLED, AnalysisEnding.REPLACED)
    return state.ended is not None and state.ended.state in early


def evolve(state: AnalysisState | None, id: str, entry: Recorded) -> AnalysisState:
    """The state after one more event."""
    after = _apply_event(state, id, entry)
    return replace(after, version=entry.version, head=entry.hash, updated_at=entry.at)


fold: Final = make_fold(evolve)
"""The fold of an analysis's events."""


def _apply_event(state: AnalysisState | None, id: str, entry: Recorded) -> AnalysisState:
    match state, entry.event:
        case None, AnalysisBegun() as begun:
            return AnalysisState(id, entry.by, entry.at, begun)
        case AnalysisState(), PositionAnalysed() as event:
            looked = Looked(entry.version, read_finding(event), cut=event.cut)
            return _set_looked(state, event.index, looked)
        case AnalysisState(), PositionQuarantined() as event:
            return _set_looked(state, event.index, Looked(entry.version, None, event.reason))
        case AnalysisState(), AnalysisEnded() as ended:
            return replace(state, ended=ended, ended_at=entry.at)
        case AnalysisState(), AnalysisResumed():
            # The player who stopped it may not stop it again for those who want it.
            return replace(state, by=entry.by, ended=None, ended_at=None)
        case _, unknown:
            raise TypeError(f"{type(unknown).__name__} has no effect here")


def read_finding(event: PositionAnalysed) -> Finding | None:
    """Read the finding of an event; None if its private part could not be read."""
    if event.secret_finding is not None:
        return parse_finding(json.loads(event.secret_finding))
    return None if event.finding is None else parse_finding(event.finding)


def _set_looked(state: AnalysisState, index: int, looked: Looked) -> AnalysisState:
    return replace(state, looked=(*state.looked[:index], looked))
