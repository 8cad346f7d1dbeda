"""The events of an analysis.

Whatever reveals a choice that only its viewer may know is private: sealed beside the stream, and
`None` in the log itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from service.log.declarations import event
from service.log.values import Event


@event("analysis-begun/1")
class AnalysisBegun(Event):
    """An analysis was requested: of `positions` positions, as somebody with this `view` knows them.

    A game is analysed as it stood at `version` of its log: whole, or after `ply` actions. Without a
    game, the position is `fen`, or `secret_fen` if it names a choice. `build` is the engine's
    build, `parameters` those of `service.analysis.parameters`.
    """

    private = ("secret_fen",)
    variant: str
    rules: str
    view: str
    build: str
    parameters: Mapping[str, int]
    positions: int = 1
    game: str | None = None
    version: int | None = None
    ply: int | None = None
    fen: str | None = None
    secret_fen: str | None = None


@event("position-analysed/1")
class PositionAnalysed(Event):
    """The finding for position `index`, counted from 0, of those to analyse.

    `cut` says that somebody stopped the search there; if the analysis goes on, the position is
    searched again. Either `finding` or, as JSON, `secret_finding` is set
    (`service.analysis.finding`).
    """

    private = ("secret_finding",)
    index: int
    cut: bool = False
    finding: Mapping[str, object] | None = None
    secret_finding: str | None = None


@event("position-quarantined/1")
class PositionQuarantined(Event):
    """A position is skipped, since its search failed or killed the worker again and again."""

    index: int
    reason: str


@event("analysis-ended/1")
class AnalysisEnded(Event):
    """The search is over; `state` says how it ended."""

    state: str
    reason: str = ""


@event("analysis-resumed/1")
class AnalysisResumed(Event):
    """A stopped analysis was requested again, and goes on where it was."""


EVENTS: Final[Mapping[str, type[Event]]] = {
    event.stored_name: event
    for event in (
        AnalysisBegun,
        PositionAnalysed,
        PositionQuarantined,
        AnalysisEnded,
        AnalysisResumed,
    )
}
