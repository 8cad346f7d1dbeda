"""The RQ queue. What lies in it are hints: a job's id, so that a worker looks at it now.

A hint may be lost, come twice or come late; none of it matters, since a worker claims the job
itself. RQ keeps nothing of a hint that was worked on, and little of one whose worker died.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Final

import redis
from rq import Queue
from rq.intermediate_queue import IntermediateQueue
from rq.serializers import JSONSerializer

from service.jobs.kinds import RUN_JOB
from service.jobs.store import Jobs

log = logging.getLogger(__name__)

NAME: Final = "movelog"
TIMEOUT: Final = 3600
"""Seconds after which RQ kills whoever still works on one hint."""
KEPT_FAILED: Final = 600
"""Seconds RQ remembers a hint whose worker died."""


class JobQueue:
    """Hands jobs to the workers; `connection` is to the queue's own Redis."""

    def __init__(self, jobs: Jobs, connection: redis.Redis) -> None:
        self.jobs = jobs
        self.connection = connection
        self.queue = Queue(NAME, connection=connection, serializer=JSONSerializer)

    def submit(self, id: str, kind: str, arguments: Mapping[str, Any]) -> bool:
        """Create a job and hint at it; False when there is one of this id already.

        When it returns, the job is durable; the hint need not be, the reconciler sees to it.
        """
        if not self.jobs.create(id, kind, arguments):
            return False
        try:
            self.hint(id)
        except redis.RedisError:
            log.warning("no hint for job %s: the queue cannot be reached", id, exc_info=True)
        return True

    def hint(self, id: str) -> None:
        """Tell the workers of a job."""
        self.queue.enqueue_call(
            RUN_JOB,
            args=(id,),
            job_id=id,
            timeout=TIMEOUT,
            result_ttl=0,
            failure_ttl=KEPT_FAILED,
            description=f"job {id}",
        )

    def hinted(self) -> set[str]:
        """The jobs for which a hint lies in the queue or is being taken from it."""
        taken = IntermediateQueue(self.queue.key, connection=self.connection)
        return {*self.queue.get_job_ids(), *taken.get_job_ids()}
