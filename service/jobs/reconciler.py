"""The reconciler: repairs what dead workers and lost hints left behind."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from redis.exceptions import RedisError

from service.jobs.duties import HINTED, lane_of
from service.jobs.job import Job, JobState
from service.jobs.maintenance import JobMaintenance
from service.jobs.queue import JobQueue
from service.storage.capacity import must_wait

log = logging.getLogger(__name__)

GRACE: Final = 10_000
"""Milliseconds before jobs are taken back after the store was away or had no room for a write."""


class Reconciler:
    """Repairs the jobs; to be run every few seconds, in one process or in several."""

    def __init__(self, queue: JobQueue, given_up: Callable[[Job], None] = lambda job: None) -> None:
        """`given_up` is called with each quarantined job, again and again until it returns."""
        self.queue = queue
        self.given_up = given_up
        self.jobs = queue.jobs
        self.maintenance = JobMaintenance(queue.jobs)
        self._hindered_at: int | None = None
        """When the store was last away or had no room."""

    def run(self) -> None:
        """Take back jobs whose lease expired, hint at due jobs that have no hint, prune old jobs.

        A job taken back too often is quarantined. Raises what the stores raise if they cannot be
        reached.
        """
        try:
            self._repair()
        except RedisError as error:
            if must_wait(error):
                self._hindered_at = self.jobs.clock()
            raise

    def _repair(self) -> None:
        if moved := self.maintenance.follow_clock():
            log.warning("the clock was set back: %d jobs that waited for it go on now", moved)
        self._take_back()
        self._draw_consequences()
        due = self.jobs.due(HINTED)
        if due:
            hinted = self.queue.hinted()
            forgotten = [id for id in due if id not in hinted]
            for id, (kind, batch) in zip(forgotten, self.jobs.kinds(forgotten), strict=True):
                if lane := lane_of(kind, batch=batch):
                    self.queue.hint(id, lane)
        self.maintenance.prune()
        self.maintenance.forget_holds()

    def _take_back(self) -> None:
        """Take jobs from silent workers, except from those that may be waiting for the store.

        While it is away or refuses writes, no worker can renew its lease or give its job back.
        """
        now = self.jobs.clock()
        if self._hindered_at is not None and 0 <= now - self._hindered_at < GRACE:
            return
        for id in self.jobs.expired():
            if self.jobs.take_back(id):
                log.warning("job %s was taken from a silent worker", id)

    def _draw_consequences(self) -> None:
        """Do what follows from quarantined jobs, also where an earlier process died before it."""
        for id in self.maintenance.given_up():
            try:
                job = self.jobs.get(id)
                if job.state is JobState.QUARANTINED:
                    self.given_up(job)
            except Exception:
                log.exception("what follows from giving up job %s is tried again later", id)
                self.maintenance.postpone(id)
            else:
                self.maintenance.settle(id)
