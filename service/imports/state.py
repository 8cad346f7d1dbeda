"""An import: the fold of its events."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from service.imports.events import ImportBegun, ImportCommitted, ImportEnded
from service.log.folding import make_fold
from service.log.values import GENESIS, Recorded


class ImportMode(StrEnum):
    """How an import handles a file in which some records are bad."""

    QUARANTINE = "quarantine"
    """The valid ones are imported, the invalid ones are reported."""
    STRICT = "strict"
    """All are imported or none."""
    AS_PLAYED = "as-played"
    """Valid ones are imported as games; illegal ones are kept as records, which are not games."""


class ImportEnding(StrEnum):
    """How an import can end."""

    DONE = "done"
    REFUSED = "refused"
    """It was strict, and some record is invalid."""
    CANCELLED = "cancelled"
    FAILED = "failed"
    """The file could not be unpacked, or the job failed repeatedly."""


@dataclass(frozen=True, slots=True)
class ImportState:
    """An import after `version` events. Times are milliseconds since 1970 UTC."""

    id: str
    by: str
    begun_at: int
    begun: ImportBegun
    version: int = 1
    head: str = GENESIS
    updated_at: int = 0
    committed: bool = False
    ended: ImportEnded | None = None
    ended_at: int | None = None

    @property
    def mode(self) -> ImportMode:
        """How the import handles invalid records."""
        return ImportMode(self.begun.mode)


def evolve(state: ImportState | None, id: str, entry: Recorded) -> ImportState:
    """The state after one more event."""
    after = _apply_event(state, id, entry)
    return replace(after, version=entry.version, head=entry.hash, updated_at=entry.at)


fold: Final = make_fold(evolve)
"""The fold of an import's events."""


def _apply_event(state: ImportState | None, id: str, entry: Recorded) -> ImportState:
    match state, entry.event:
        case None, ImportBegun() as begun:
            return ImportState(id, entry.by, entry.at, begun)
        case ImportState(), ImportCommitted():
            return replace(state, committed=True)
        case ImportState(), ImportEnded() as ended:
            return replace(state, ended=ended, ended_at=entry.at)
        case _, unknown:
            raise TypeError(f"{type(unknown).__name__} has no effect here")
