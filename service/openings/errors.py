"""What can be wrong with a table of openings.

ServiceError
├── BadOpenings     lines of the file that are not valid, with reasons       bad-openings
└── NotOpenings     not a table of openings at all                           not-openings
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.phrase import Say
from service.errors import ServiceError


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line of the file, counted from 1, and what is wrong with it."""

    line: int
    reason: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.reason}"


class BadOpenings(ServiceError):
    """A table that is rejected as a whole, since some `lines` are wrong."""

    code = "bad-openings"
    lines: tuple[BadLine, ...]

    def describe(self, say: Say) -> str:
        more = len(self.lines) - 1
        others = f" (and {more} more wrong line{'s' if more > 1 else ''})" if more else ""
        return f"{self.lines[0]}{others}; nothing was loaded"


class NotOpenings(ServiceError):
    """A file that is not a table of openings; `reason` says what such a table is."""

    code = "not-openings"
    message = "this is not a table of openings: {reason}"
    reason: str
