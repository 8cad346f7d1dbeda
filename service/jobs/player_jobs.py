"""Keeps, for each player, the jobs of one kind that wait or run.

<prefix><player>   set: ids of the player's jobs; those that have ended are removed when it is read
"""

from __future__ import annotations

from typing import Any, Final

from service.jobs.store import Jobs
from service.storage.cache_writes import cache_writes

KEPT: Final = 7 * 24 * 3600
"""Seconds for which a player's set is kept since the last job was added."""


class PlayerJobs:
    """Every player's jobs under way, in sets whose Redis keys begin with `prefix`."""

    def __init__(self, jobs: Jobs, prefix: str) -> None:
        self.jobs = jobs
        self.prefix = prefix

    def add(self, player: str, id: str) -> None:
        """Add an existing job to a player's jobs."""
        key = f"{self.prefix}{player}"
        with cache_writes(self.jobs.store) as pipeline:
            pipeline.sadd(key, id)
            pipeline.expire(key, KEPT)

    def under_way(self, player: str) -> set[str]:
        """The ids of a player's jobs that wait or run."""
        key = f"{self.prefix}{player}"
        members: Any = self.jobs.store.smembers(key)
        ids = {member.decode() for member in members}
        remaining = self.jobs.under_way(ids)
        if ended := ids - remaining:
            with cache_writes(self.jobs.store) as pipeline:
                pipeline.srem(key, *ended)
        return remaining
