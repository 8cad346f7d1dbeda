"""What can be wrong with a report.

ServiceError
└── TrfError
    ├── BadTrf          the text is not a report; names line and column   bad-trf
    ├── Inconsistent    its players contradict each other                 inconsistent-report
    └── NotReportable   the format has no place for this                  not-reportable
"""

from __future__ import annotations

from engine.phrase import Say
from service.errors import ServiceError


class TrfError(ServiceError):
    """Base of the reports' errors."""


class BadTrf(TrfError):
    """Line and column, from 1, of the first thing that cannot be read."""

    code = "bad-trf"
    message = "line {line}, column {column}: {reason}"
    line: int
    column: int
    reason: str


class Inconsistent(TrfError):
    """What player `number` has in `round` does not fit what others have; 0 means no round."""

    code = "inconsistent-report"
    number: int
    round: int
    reason: str

    def describe(self, say: Say) -> str:
        place = f"player {self.number}" + (f", round {self.round}" if self.round else "")
        return f"{place}: {self.reason}"


class NotReportable(TrfError):
    """`what` does not fit the columns of the format."""

    code = "not-reportable"
    message = "the report format has no place for {what}"
    what: str
