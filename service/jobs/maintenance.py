"""Maintenance of stored jobs: after an upgrade, a change of the clock or a quarantine; pruning."""

from __future__ import annotations

from typing import Any, Final

from service.jobs.job import JobState
from service.jobs.job_kinds import KINDS
from service.jobs.redis_layout import (
    ADOPT,
    BY_STATE,
    GIVEN_UP,
    HELD,
    JOB,
    LAPSE,
    PREFIX,
    WAITING,
)
from service.jobs.store import Jobs

KEPT: Final = 7 * 24 * 3600 * 1000
"""Milliseconds for which done and cancelled jobs are kept."""
RETRY: Final = 60_000
"""Milliseconds before consequences that could not be drawn are tried again."""
SKEW: Final = 60_000
"""Milliseconds by which the times of two processes may differ, as just after the store's clock was
set: each asks for it every few seconds."""


class JobMaintenance:
    """Repairs and prunes the jobs of a store; each method may be repeated at any time."""

    def __init__(self, jobs: Jobs) -> None:
        self.jobs = jobs
        self.store = jobs.store
        self._lapse = self.store.register_script(LAPSE)
        self._adopt = self.store.register_script(ADOPT)

    def adopt(self) -> None:
        """Move jobs from an older version, which had one queue for all, into their queues.

        The start of its imports' turns is forgotten: turns are now counted by time.
        """
        self.store.delete(f"{PREFIX}turns")
        counted: Any = self.store.hvals(WAITING)
        key = f"{BY_STATE}{JobState.QUEUED}"
        queued: Any = self.store.zcard(key)
        if sum(map(int, counted)) != int(queued):
            for id, _ in self.store.zscan_iter(key):
                name = id.decode()
                self._adopt(keys=[f"{JOB}{name}", PREFIX], args=[name])

    def follow_clock(self, limit: int = 1000) -> int:
        """Make jobs due that a clock which was set back has put off; returns how many.

        According to its fields, such a job was changed in the future, and nothing would be done
        with it until the clock reaches that time again. Queued ones become due now. The leases of
        running ones expire now, unless their workers renew them.
        """
        now = self.jobs.clock()
        ahead: Any = [
            self.store.zrangebyscore(f"{BY_STATE}{state}", now + SKEW, "+inf", start=0, num=limit)
            for state in (JobState.QUEUED, JobState.RUNNING)
        ]
        moved = 0
        for job in self.jobs.get_each([id.decode() for ids in ahead for id in ids]):
            if job.updated_at > now + SKEW:
                fields = {"due": now} if job.state is JobState.QUEUED else {"until": now}
                moved += not self.jobs.move(
                    job.id, job.state, job.state, now, fields, owner=job.owner
                )
        return moved

    def given_up(self, limit: int = 1000) -> list[str]:
        """Ids of quarantined jobs whose consequences are to be drawn now."""
        return self.jobs.list_below(GIVEN_UP, self.jobs.clock(), limit)

    def settle(self, id: str) -> None:
        """Note that the consequences of a quarantined job are drawn."""
        self.store.zrem(GIVEN_UP, id)

    def postpone(self, id: str) -> None:
        """Have the consequences of a quarantined job drawn only after RETRY."""
        self.store.zadd(GIVEN_UP, {id: self.jobs.clock() + RETRY}, xx=True)

    def prune(self, limit: int = 1000) -> int:
        """Delete done and cancelled jobs older than KEPT; returns how many."""
        before = self.jobs.clock() - KEPT
        pruned = 0
        for state in (JobState.DONE, JobState.CANCELLED):
            for id in self.jobs.list_below(f"{BY_STATE}{state}", before, limit):
                pruned += self.jobs.forget(id, state)
        return pruned

    def forget_holds(self) -> int:
        """Delete the expired holds of groups; returns how many."""
        now, forgotten = self.jobs.clock(), 0
        for kind in KINDS:
            for group, until in self.store.hscan_iter(f"{HELD}{kind}"):
                if int(until) <= now:
                    self._lapse(keys=[f"{HELD}{kind}"], args=[group, until])
                    forgotten += 1
        return forgotten
