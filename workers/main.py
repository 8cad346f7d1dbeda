"""The worker process of a duty."""

from __future__ import annotations

import gc
import logging
import os
import signal
import time
from contextlib import ExitStack, suppress
from functools import partial
from types import FrameType
from typing import Any, Final

import redis
from rq import Queue, SimpleWorker, Worker
from rq.exceptions import InvalidJobOperation, StopRequested
from rq.executions import Execution
from rq.job import Job
from rq.registry import StartedJobRegistry
from rq.serializers import JSONSerializer
from rq.worker import BaseWorker

from engine.search import build_id
from service.composition.key_telling import tell_keys
from service.composition.service import compose
from service.jobs.duties import ARCHIVE, CLOCKS, COMPUTER, Duty
from service.jobs.job_kinds import ANALYSIS, DELIVERY, IMPORT
from service.jobs.queue import renew
from service.operations.parent_death import die_with
from service.operations.store_outage import explain_outage
from service.settings import Settings
from service.storage.capacity import describe_full_storage
from service.storage.connections import open_store
from service.storage.outage_log import OutageLog
from service.storage.release import digest_release
from service.tracing.tracing import begin_tracing
from workers import own_queues, stop_request, time_sharing
from workers.archiving import keep_archive
from workers.computer.playing import play_computer_games
from workers.delivery_loop import run_deliveries
from workers.flag_falls import keep_clocks
from workers.run import compose_service

log = logging.getLogger(__name__)

PAUSE: Final = 1.0
"""Seconds until a worker that lost the queue starts again."""
SILENCE: Final = 60.0
"""Seconds until it is logged again that there is no room to work."""
LOST_AFTER: Final = 60
"""Seconds after which RQ gives up a worker that says nothing. A worker waits less long for a hint,
so that one whose Redis has silently gone looks for another."""
MAINTENANCE: Final = 60
"""Seconds between two clean-ups of what dead workers left in RQ's registries."""
FORKED: Final = frozenset({IMPORT, ANALYSIS})
"""Kinds of jobs that run for long and need much memory: each job runs in a process of its own."""
NICENESS: Final = {"analyses": 10, "archive": 10, "large-pairing": 10}
"""How much a duty gives way on a busy machine: its work takes all it can get, for long."""


class ShortOfRoom(logging.Filter):
    """Reduces errors of a full store or disk to one line without a traceback.

    They are no fault of the service, but RQ logs them as faults, again and again. So such a line is
    not followed by another for SILENCE seconds.
    """

    def __init__(self) -> None:
        super().__init__()
        self._told = float("-inf")

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to log a record, which may be changed."""
        error = record.exc_info[1] if record.exc_info else None
        if error is None or describe_full_storage(error) is None:
            return True
        if time.monotonic() - self._told < SILENCE:
            return False
        self._told = time.monotonic()
        record.msg, record.args = "there is no room to work: waiting until there is", ()
        record.exc_info = record.exc_text = None
        return True


class Renewing(BaseWorker):
    """Lets another hint at a job arrive while an earlier one is worked on.

    RQ knows both by the job's id.
    """

    def execute_job(self, job: Job, queue: Queue) -> None:
        """Work on one hint."""
        super().execute_job(job, queue)
        renew(queue, job.id)

    def handle_job_success(
        self,
        job: Job,
        queue: Queue,
        started_job_registry: StartedJobRegistry,
        execution: Execution,
    ) -> None:
        """Let RQ forget a hint that was dealt with."""
        try:
            super().handle_job_success(job, queue, started_job_registry, execution)
        except (InvalidJobOperation, ValueError):
            log.debug("job %s: RQ forgot it with another hint", job.id, exc_info=True)
            with self.connection.pipeline() as pipeline:
                self.cleanup_execution(job, pipeline, execution)
                pipeline.delete(job.key)
                pipeline.execute()


class ForkingWorker(Renewing, Worker):
    """RQ's forking worker, but it asks a job to stop where RQ would wait for its end."""

    max_connection_wait_time = 5

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """SIGTERM or SIGINT: end after the job's next report."""
        stop_request.request()
        if self.horse_pid:
            # Not RQ's kill_horse, which signals a whole process group: just after the fork
            # that group is still our own.
            with suppress(ProcessLookupError):
                os.kill(self.horse_pid, signal.SIGTERM)
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call]

    def setup_work_horse_signals(self) -> None:
        """In the forked process: end with the worker; on SIGTERM give the job back."""
        # The garbage collector would write to all of the worker's memory, and so have it copied.
        gc.freeze()
        die_with(os.getppid())()
        super().setup_work_horse_signals()  # type: ignore[no-untyped-call]
        signal.signal(signal.SIGTERM, lambda *_: stop_request.request())


class PlainWorker(Renewing, SimpleWorker):
    """RQ's worker without forks, for short jobs: a fork takes longer than scoring a game."""

    max_connection_wait_time = 5

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """SIGTERM or SIGINT: end after the job's next report."""
        stop_request.request()
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call]


class SharingWorker(PlainWorker):
    """RQ's worker for jobs that take turns in processes of their own (`TimeSharing`)."""

    def perform_job(self, job: Job, queue: Queue, execution: Execution) -> bool:
        """Work on one hint, and on others' meanwhile, for as long as it takes."""
        time_sharing.beat_by(partial(self.maintain_heartbeats, job, execution))
        return super().perform_job(job, queue, execution)


def main(settings: Settings, duty: Duty) -> None:
    """Work on the jobs of a duty until SIGTERM or SIGINT; a queue that is away is waited for.

    Forked jobs read their settings from the environment, as this process did.
    """
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s")
    for handler in logging.getLogger().handlers:
        handler.addFilter(ShortOfRoom())
    os.nice(NICENESS.get(duty.name, 0))
    tell_keys(settings, duty.process)
    if not FORKED & {*duty.kinds}:
        begin_tracing(duty.process)
    if duty is CLOCKS:
        keep_clocks(compose_service(settings))
        return
    if duty is COMPUTER:
        play_computer_games(compose_service(settings))
        return
    if duty is ARCHIVE:
        keep_archive(compose_service(settings))
        return
    own_queues.assign(duty.lanes)
    with ExitStack() as running:
        if DELIVERY in duty.kinds:
            running.enter_context(run_deliveries(compose_service(settings)))
        if FORKED & {*duty.kinds}:
            prepare_jobs(settings)
            work(settings, SharingWorker if own_queues.share_time() else ForkingWorker)
        else:
            work(settings, PlainWorker)


def prepare_jobs(settings: Settings) -> None:
    """Do once what each job's process would otherwise do again, so it finds the results in memory.

    The service composed here is not used: connections do not outlive a fork.
    """
    digest_release()
    build_id()
    with suppress(redis.RedisError):
        compose(settings)


def work(settings: Settings, worker: type[BaseWorker]) -> None:
    """Take hints from this process's lanes until it has to stop."""
    options: dict[str, Any] = {
        "serializer": JSONSerializer,
        "worker_ttl": LOST_AFTER,
        "maintenance_interval": MAINTENANCE,
        "log_job_description": False,
    }
    outages = OutageLog(log)
    while not stop_request.is_requested():
        with suppress(StopRequested):
            try:
                connection = open_store(settings.queue_url)
                worker(list(own_queues.list_assigned()), connection=connection, **options).work(
                    logging_level="WARNING"
                )
            except redis.RedisError as error:
                if outages.is_due(error):
                    log.warning("%s", explain_outage() or f"the queue fails: {error}")
            if not stop_request.is_requested():
                time.sleep(PAUSE)
