"""What came of the last run of the archive, for operators: kept in Redis.

movelog:{archive}:status       JSON of ArchiveStatus
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, Final

import redis

STATUS: Final = "movelog:{archive}:status"


@dataclass(frozen=True, slots=True)
class ArchiveStatus:
    """What is archived, as of `at`, in milliseconds since 1970 UTC; 0 for never.

    `error` is what broke the last run off, "" for nothing; the numbers are then of the run before.
    """

    at: int = 0
    games: int = 0
    segments: int = 0
    bytes: int = 0
    feed_entries: int = 0
    feed_bytes: int = 0
    error: str = ""


def read_status(client: redis.Redis) -> ArchiveStatus:
    """What was noted last."""
    stored: Any = client.get(STATUS)
    return ArchiveStatus() if stored is None else ArchiveStatus(**json.loads(stored))


def note_status(client: redis.Redis, status: ArchiveStatus) -> None:
    """Note what came of a run."""
    client.set(STATUS, json.dumps(asdict(status), separators=(",", ":")))
