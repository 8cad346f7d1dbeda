"""Errors of verification.

VerificationError
├── BadKeys        a file of public keys that cannot be read
├── Wrong          the export was changed, or breaks the rules: where, and why
└── Unverifiable   the export holds too little to be proven right or wrong
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.described_error import DescribedError
from engine.phrase import Say


class VerificationError(DescribedError):
    """Base of the errors of this package."""


class BadKeys(VerificationError):
    """The text given as public keys holds none."""

    message = "not a file of public keys: {reason}"
    reason: str


@dataclass(frozen=True, slots=True)
class Location:
    """A place in an export: line and column of the file, version of the event, ply, each from 1."""

    line: int | None = None
    column: int | None = None
    event: int | None = None
    ply: int | None = None

    def __str__(self) -> str:
        parts = (("event", self.event), ("line", self.line), ("column", self.column))
        named = [f"{name} {value}" for name, value in (*parts, ("ply", self.ply)) if value]
        return ", ".join(named)


NOWHERE = Location()
"""The place of faults that have none, such as an empty file."""


class Wrong(VerificationError):
    """The first thing wrong, and its location."""

    reason: str
    place: Location = NOWHERE

    def describe(self, say: Say) -> str:
        where = str(self.place)
        return f"{where}: {self.reason}" if where else self.reason


class Unverifiable(VerificationError):
    """Why nothing can be proven."""

    message = "cannot be verified: {reason}"
    reason: str
