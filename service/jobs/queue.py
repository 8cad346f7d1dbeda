"""The RQ queues. They contain hints: a job's id, so that a worker looks at that job now.

A hint may be lost, come twice or come late. None of this matters, since a worker claims the job
itself. RQ keeps nothing of a hint that was dealt with, and little of one whose worker died.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from typing import Any, Final

import redis
from rq import Queue, Worker
from rq.job import Job as RQJob
from rq.serializers import JSONSerializer

from service.jobs.duties import Lane, lane_of
from service.jobs.job_kinds import RUN_JOB
from service.jobs.store import Jobs

log = logging.getLogger(__name__)


TIMEOUT: Final = 3600
"""Seconds after which a process that still works on one hint is killed."""
UNLIMITED: Final = (Lane.PERSON, Lane.BATCH)
"""The queues whose hints RQ allows any time: their jobs take turns in processes that the worker
itself kills (`workers.time_sharing`)."""
KEPT_FAILED: Final = 600
"""Seconds for which RQ remembers a hint whose worker died."""


class JobQueue:
    """Hands jobs to the workers; `connection` is to the queue's Redis."""

    def __init__(self, jobs: Jobs, connection: redis.Redis) -> None:
        self.jobs = jobs
        self.connection = connection
        self.queues = {
            lane: Queue(lane, connection=connection, serializer=JSONSerializer) for lane in Lane
        }

    def submit(
        self, id: str, kind: str, arguments: Mapping[str, Any], *, batch: bool = False
    ) -> bool:
        """Create a job and hint at it; False if there already is one with this id.

        When it returns, the job is durable. The hint need not be: the reconciler replaces it.
        """
        if not self.jobs.create(id, kind, arguments, batch=batch):
            return False
        if lane := lane_of(kind, batch=batch):
            self.try_to_hint(id, lane)
        return True

    def try_to_hint(self, id: str, lane: Lane) -> None:
        """Hint at a job; if the queue cannot be reached, the reconciler will do so later."""
        try:
            self.hint(id, lane)
        except redis.RedisError:
            log.warning("no hint for job %s: the queue cannot be reached", id, exc_info=True)

    def hint(self, id: str, lane: Lane) -> None:
        """Hint to the workers that a job is waiting."""
        enqueue(self.queues[lane], id)

    def waiting(self, lane: Lane) -> list[str]:
        """The jobs for which there is a hint in one queue, oldest first."""
        return self.queues[lane].get_job_ids()

    def take(self, lane: Lane) -> str | None:
        """Take the oldest hint from a queue, as RQ's workers do; None if there is none."""
        hint: Any = self.connection.lpop(self.queues[lane].key)
        if hint is None:
            return None
        id = str(hint.decode())
        self.connection.delete(RQJob.key_for(id))
        return id

    def withdraw(self, lane: Lane, id: str) -> bool:
        """Remove all hints at a job from a queue; False if there are none."""
        if not self.connection.lrem(self.queues[lane].key, 0, id):
            return False
        self.connection.delete(RQJob.key_for(id))
        return True

    def try_to_withdraw(self, lane: Lane, id: str) -> None:
        """Remove all hints at a job; if the queue cannot be reached, workers find it is over."""
        try:
            self.withdraw(lane, id)
        except redis.RedisError:
            log.warning("the hint at job %s stays: the queue cannot be reached", id, exc_info=True)

    def exchange(self, lane: Lane, taken: str, given_back: str) -> None:
        """Remove the hint at one job from a queue, and add the hint at another."""
        self.withdraw(lane, taken)
        self.try_to_hint(given_back, lane)

    def hinted(self) -> set[str]:
        """The jobs for which there is a hint in a queue.

        A hint that a worker has taken does not count, even before the job is begun: a worker that
        dies then would keep it, and RQ takes minutes to notice. A second hint does no harm.
        """
        return {id for queue in self.queues.values() for id in queue.get_job_ids()}

    def someone_waits(self, lanes: Collection[Lane]) -> bool:
        """Whether one of these lanes has a hint to which a batch job has to give way."""
        return any(self.queues[lane].count for lane in lanes if lane is not Lane.BATCH)

    def ahead(self, id: str) -> int | None:
        """How many analyses are taken before this one; None if there is no hint at it."""
        before = 0
        for lane in (Lane.PERSON, Lane.BATCH):
            queue = self.queues[lane]
            place: Any = self.connection.lpos(queue.key, id)
            if place is not None:
                return before + int(place)
            before += queue.count
        return None

    def workers(self, lane: Lane) -> int:
        """Return the number of workers that take hints from a lane."""
        return Worker.count(queue=self.queues[lane])


def enqueue(queue: Queue, id: str) -> None:
    """Put a hint at a job into a queue of RQ."""
    queue.enqueue_call(
        RUN_JOB,
        args=(id,),
        job_id=id,
        timeout=-1 if queue.name in UNLIMITED else TIMEOUT,
        result_ttl=0,
        failure_ttl=KEPT_FAILED,
        description=f"job {id}",
    )


def renew(queue: Queue, id: str) -> None:
    """Renew a hint at a job that entered a queue of RQ while an earlier one was being handled.

    RQ knows both by the job's id; when it forgot the earlier one, it lost the later one's data.
    """
    if queue.connection.lpos(queue.key, id) is not None:
        queue.remove(id)
        enqueue(queue, id)
