"""What can come of checking.

VerificationError
├── BadKeys        a file of public keys that cannot be read
├── Wrong          the export is not what was exported, or breaks the rules: where, and why
└── Unverifiable   the export holds too little to be proven, whether right or wrong
"""

from __future__ import annotations

from dataclasses import dataclass


class VerificationError(Exception):
    """Base of the errors of this package."""


class BadKeys(VerificationError):
    """What was given as public keys is none."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"no file of public keys: {self.reason}"


@dataclass(frozen=True, slots=True)
class Place:
    """Where in an export: line and column of the file, version of the event, ply, each from 1."""

    line: int | None = None
    column: int | None = None
    event: int | None = None
    ply: int | None = None

    def __str__(self) -> str:
        parts = (("event", self.event), ("line", self.line), ("column", self.column))
        named = [f"{name} {value}" for name, value in (*parts, ("ply", self.ply)) if value]
        return ", ".join(named)


class Wrong(VerificationError):
    """The first thing wrong, and where it stands."""

    def __init__(self, reason: str, place: Place = Place()) -> None:
        super().__init__(reason, place)
        self.reason = reason
        self.place = place

    def __str__(self) -> str:
        where = str(self.place)
        return f"{where}: {self.reason}" if where else self.reason


class Unverifiable(VerificationError):
    """Why nothing can be proven."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return f"cannot be verified: {self.reason}"
