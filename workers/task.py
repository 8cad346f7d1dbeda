"""A job being worked on, as its function sees it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from service.composition.service import Service
from service.jobs.fair_queue import Turn
from service.jobs.job import Job
from service.jobs.store import Jobs
from workers import stop_request as stop_request
from workers.errors import Interrupted


@dataclass(frozen=True, slots=True)
class Task:
    """The argument of a job's function: the job, the service's parts, and the way to report.

    `turn` is the worker's turn with this job.
    """

    service: Service
    jobs: Jobs
    job: Job
    turn: Turn = field(default_factory=Turn)

    @property
    def arguments(self) -> Mapping[str, Any]:
        """The job's arguments, JSON values."""
        return self.job.arguments

    def report_progress(self, done: int, total: int, note: Any = None) -> None:
        """Report that `done` of `total` is done; call it at least every few seconds.

        `note` is what to show of the work under way, as a JSON value.

        It keeps the job from being given to another worker, and it is where a job stops: raises
        Interrupted when the process has to stop, LeaseLost when the job was cancelled.
        """
        if stop_request.is_requested():
            raise Interrupted
        self.jobs.heartbeat(self.job, done, total, note)

    def keep(self, done: int, total: int, checkpoint: Any, tries: int = 1) -> None:
        """Report progress and where another try has to go on (`Jobs.keep`).

        Raises as `report_progress` does.
        """
        self.jobs.keep(self.job, done, total, checkpoint, tries)
        if stop_request.is_requested():
            raise Interrupted
