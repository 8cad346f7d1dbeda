"""What can go wrong with an analysis.

ServiceError
└── AnalysisError
    └── AnalysisOver   it has ended, there is nothing to stop   analysis-over
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
