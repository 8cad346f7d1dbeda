"""Errors of analyses.

ServiceError
├── AnalysisError
│   ├── AnalysisOver       it has ended, there is nothing to stop             analysis-over
│   ├── OwnGameRunning     a player's own game is not over                    own-game-running
│   └── TooManyAnalyses    a player waits for as many as allowed              too-many-analyses
└── QuotaUsed
    └── AnalysisQuotaUsed  a player has requested a day's worth of lines      analysis-quota-used
"""

from __future__ import annotations

from service.errors import QuotaUsed, ServiceError


class AnalysisError(ServiceError):
    """Base of the analyses' errors."""


class AnalysisOver(AnalysisError):
    """The analysis has ended with this `status`, so it cannot be stopped."""

    code = "analysis-over"
    message = "the analysis is {status}, there is nothing to stop"
    status: str


class AnalysisQuotaUsed(QuotaUsed):
    """A player's new analyses would have more than `limit` lines since midnight UTC."""

    code = "analysis-quota-used"
    message = (
        "a player's new analyses may have {limit} lines a day, and this one would exceed that;"
        " request it after midnight UTC, request fewer lines, or ask an admin to request it"
    )


class OwnGameRunning(AnalysisError):
    """No analysis of a running game is given to its players, whoever requested it."""

    code = "own-game-running"
    message = "you play this game; you can have it analysed as soon as it is over"


class TooManyAnalyses(AnalysisError):
    """A player has as many analyses waiting and running as allowed."""

    code = "too-many-analyses"
    message = "{limit} analyses are under way; wait for one of them, or stop one"
    limit: int
