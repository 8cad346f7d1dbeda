"""Errors of jobs.

ServiceError
└── JobError
    ├── LeaseLost      the worker holds the job no longer: cancelled, or given to another
    └── WrongJobState  the job is not in a state that allows this
"""

from __future__ import annotations

from service.errors import ServiceError


class JobError(ServiceError):
    """Base of the jobs' errors; `id` is the job's."""

    id: str
    state: str


class LeaseLost(JobError):
    """Whoever works on the job must stop: it was cancelled or is another worker's now."""

    code = "lease-lost"
    message = "job {id} is {state} and no longer this worker's"


class WrongJobState(JobError):
    """The job's state does not allow this."""

    code = "wrong-job-state"
    message = "job {id} is {state}"
