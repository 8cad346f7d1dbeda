"""The result of the archive's last run, for operators, kept in Redis.

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

    `error` is what interrupted the last run, "" if nothing did; the numbers are then those of the
    run before.
    """

    at: int = 0
    games: int = 0
    segments: int = 0
    bytes: int = 0
    feed_entries: int = 0
    feed_bytes: int = 0
    error: str = ""


def read_status(client: redis.Redis) -> ArchiveStatus:
    """The status noted last."""
    stored: Any = client.get(STATUS)
    return ArchiveStatus() if stored is None else ArchiveStatus(**json.loads(stored))


def note_status(client: redis.Redis, status: ArchiveStatus) -> None:
    """Note the result of a run."""
    client.set(STATUS, json.dumps(asdict(status), separators=(",", ":")))
