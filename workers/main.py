"""The worker process."""

from __future__ import annotations

import logging
import os
import signal
import time
from contextlib import suppress
from types import FrameType
from typing import Any, Final

import redis
from rq import Worker
from rq.exceptions import StopRequested
from rq.serializers import JSONSerializer

from service.operations.lifetime import die_with
from service.settings import Settings
from workers import (
    lanes,
    run,  # noqa: F401 -- imported once here, not in every forked job
    stopping,
)

log = logging.getLogger(__name__)

PAUSE: Final = 1.0
"""Seconds until a worker that lost the queue begins anew."""
MAINTENANCE: Final = 60
"""Seconds between two clean-ups of what dead workers left in RQ's registries."""


class JobWorker(Worker):
    """RQ's forking worker, that asks a job to stop where RQ would wait for its end."""

    max_connection_wait_time = 5

    def request_stop(self, signum: int, frame: FrameType | None) -> None:
        """SIGTERM or SIGINT: end after the job's next report."""
        stopping.request()
        if self.horse_pid:
            # Not RQ's kill_horse, which signals a whole process group: just after the fork
            # that is still our own.
            with suppress(ProcessLookupError):
                os.kill(self.horse_pid, signal.SIGTERM)
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call]

    def setup_work_horse_signals(self) -> None:
        """In the forked process: it ends with the worker; SIGTERM lets its job go back."""
        die_with(os.getppid())()
        super().setup_work_horse_signals()  # type: ignore[no-untyped-call]
        signal.signal(signal.SIGTERM, lambda *_: stopping.request())


def main(settings: Settings) -> None:
    """Work on jobs until SIGTERM or SIGINT; a queue that is away is waited for.

    Jobs run in forked processes that read their settings from the environment, as this one did.
    """
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s")
    options: dict[str, Any] = {
        "serializer": JSONSerializer,
        "maintenance_interval": MAINTENANCE,
        "log_job_description": False,
    }
    while not stopping.requested():
        with suppress(StopRequested):
            try:
                connection = redis.Redis.from_url(settings.queue_url)
                JobWorker(list(lanes.mine()), connection=connection, **options).work(
                    logging_level="WARNING"
                )
            except redis.RedisError as error:
                log.warning("the queue is away: %s", error)
            if not stopping.requested():
                time.sleep(PAUSE)
