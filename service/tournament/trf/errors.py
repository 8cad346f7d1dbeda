"""What can be wrong with a report.

ServiceError
└── TrfError
    ├── BadTrf          the text is no report; names line and column         bad-trf
    ├── Inconsistent    its players contradict each other                    inconsistent-report
    └── NotReportable   the format has no place for this                     not-reportable
"""

from __future__ import annotations

from service.errors import ServiceError


class TrfError(ServiceError):
    """Base of the reports' errors."""

    code = "report-error"


class BadTrf(TrfError):
    """Line and column, from 1, of the first thing that cannot be read."""

    code = "bad-trf"

    def __init__(self, line: int, column: int, reason: str) -> None:
        super().__init__(line, column, reason)
        self.line = line
        self.column = column
        self.reason = reason

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.reason}"


class Inconsistent(TrfError):
    """What player `number` has in `round` does not fit what others have; 0 is no round."""

    code = "inconsistent-report"

    def __init__(self, number: int, round: int, reason: str) -> None:
        super().__init__(number, round, reason)
        self.number = number
        self.round = round
        self.reason = reason

    def __str__(self) -> str:
        place = f"player {self.number}" + (f", round {self.round}" if self.round else "")
        return f"{place}: {self.reason}"


class NotReportable(TrfError):
    """`what` does not fit the columns of the format."""

    code = "not-reportable"

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what

    def __str__(self) -> str:
        return f"the report format has no place for {self.what}"
