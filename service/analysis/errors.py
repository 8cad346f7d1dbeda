"""Errors of analyses.

ServiceError
└── AnalysisError
    ├── AnalysisOver      it has ended, there is nothing to stop       analysis-over
    ├── OwnGameRunning    a player's own game is not over              own-game-running
    └── TooManyAnalyses   a player waits for as many as one may       too-many-analyses
"""

from __future__ import annotations

from service.errors import ServiceError


class AnalysisError(ServiceError):
    """Base of the analyses' errors."""


class AnalysisOver(AnalysisError):
    """The analysis has ended with this `status`, so it cannot be stopped."""

    code = "analysis-over"
    message = "the analysis is {status}, there is nothing to stop"
    status: str


class OwnGameRunning(AnalysisError):
    """No analysis of a running game is given to its players, whoever requested it."""

    code = "own-game-running"
    message = "you play this game; you can have it analysed as soon as it is over"


class TooManyAnalyses(AnalysisError):
    """A player has as many analyses waiting and running as allowed."""

    code = "too-many-analyses"
    message = "{limit} analyses are under way; wait for one of them, or stop one"
    limit: int
