"""A job as a value."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class JobState(StrEnum):
    """The states of a job.

    `failed` jobs raised an error at every try; `quarantined` jobs killed their worker every time.
    """

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    QUARANTINED = "quarantined"


@dataclass(frozen=True, slots=True)
class Job:
    """A piece of work: what it is, where it stands, and its outcome.

    `arguments` and `outcome` are JSON values. `due` is when a queued job may be tried. `owner` is
    the worker that has run it since `claimed_at`, and `until` is when its lease expires; `tries`
    counts how often it was begun. Times are milliseconds since 1970 UTC. `progress` is how much is
    done, of how much. `checkpoint` is a JSON value that says where the next try may go on, None if
    it starts again; `note` is a JSON value with what can be seen of the work under way. A `batch`
    job waits for all others. `group` names its queue among those of its kind.
    """

    id: str
    kind: str
    arguments: Mapping[str, Any]
    state: JobState
    created_at: int
    updated_at: int
    tries: int = 0
    due: int = 0
    owner: str = ""
    until: int = 0
    progress: tuple[int, int] = (0, 0)
    reason: str = ""
    outcome: Any = None
    checkpoint: Any = None
    note: Any = None
    batch: bool = False
    claimed_at: int = 0
    group: str = ""


@dataclass(frozen=True, slots=True)
class Waiting:
    """How many jobs are `queued`, and `since` when the first of them might begin.

    `since` is in milliseconds since 1970 UTC, in the future if none is due, and None without jobs.
    """

    queued: int
    since: int | None

    def seconds(self, now: int) -> float:
        """Return for how many seconds the job that waits longest has been due at time `now`."""
        return 0.0 if self.since is None else max(0, now - self.since) / 1000


def from_fields(id: str, fields: Mapping[bytes, bytes]) -> Job:
    """The job that the store keeps in these fields."""
    text = {name.decode(): value.decode() for name, value in fields.items()}
    return Job(
        id=id,
        kind=text["kind"],
        arguments=json.loads(text["arguments"]),
        state=JobState(text["state"]),
        created_at=int(text["created_at"]),
        updated_at=int(text["updated_at"]),
        tries=int(text.get("tries", 0)),
        due=int(text.get("due", 0)),
        owner=text.get("owner", ""),
        until=int(text.get("until", 0)),
        progress=(int(text.get("done", 0)), int(text.get("total", 0))),
        reason=text.get("reason", ""),
        outcome=json.loads(text.get("outcome", "null")),
        checkpoint=json.loads(text.get("checkpoint", "null")),
        note=json.loads(text.get("note", "null")),
        batch=text.get("batch") == "1",
        claimed_at=int(text.get("claimed_at", 0)),
        group=text.get("group", ""),
    )
