"""What can go wrong with an analysis.

ServiceError
└── AnalysisError
    ├── AnalysisOver      it has ended, there is nothing to stop       analysis-over
    └── TooManyAnalyses   a player waits for as many as one may       too-many-analyses
"""

from __future__ import annotations

from service.errors import ServiceError


class AnalysisError(ServiceError):
    """Base of the analyses' errors."""

    code = "analysis-error"


class AnalysisOver(AnalysisError):
    """The analysis is in a `status` in which nothing can be stopped."""

    code = "analysis-over"

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self.status = status

    def __str__(self) -> str:
        return f"the analysis is {self.status}, there is nothing to stop"


class TooManyAnalyses(AnalysisError):
    """A player has as many analyses waiting and running as one may have."""

    code = "too-many-analyses"

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.limit = limit

    def __str__(self) -> str:
        return f"{self.limit} analyses are under way; wait for one of them, or stop one"
