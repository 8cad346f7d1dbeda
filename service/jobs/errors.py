"""What can go wrong with a job.

ServiceError
└── JobError
    ├── LeaseLost      the worker holds the job no longer: cancelled, or given to another
    └── WrongJobState  the job is not in a state that allows this
"""

from __future__ import annotations

from service.errors import ServiceError


class JobError(ServiceError):
    """Base of the jobs' errors; `id` is the job's."""

    code = "job-error"

    def __init__(self, id: str, state: str) -> None:
        super().__init__(id, state)
        self.id = id
        self.state = state


class LeaseLost(JobError):
    """Whoever works on the job must stop: it was cancelled or is another worker's now."""

    code = "lease-lost"

    def __str__(self) -> str:
        return f"job {self.id} is {self.state} and no longer this worker's"


class WrongJobState(JobError):
    """The job's state does not allow this."""

    code = "wrong-job-state"

    def __str__(self) -> str:
        return f"job {self.id} is {self.state}"
