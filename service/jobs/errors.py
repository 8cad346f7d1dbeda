"""Errors of jobs.

ServiceError
└── JobError
    ├── LeaseLost      the worker no longer holds the job: cancelled, or given to another
    └── WrongJobState  the job is not in a state that allows this
"""

from __future__ import annotations

from service.errors import ServiceError


class JobError(ServiceError):
    """Base of the jobs' errors; `id` is the job's."""

    id: str
    state: str


class LeaseLost(JobError):
    """The worker must stop: the job was cancelled or is now another worker's."""

    code = "lease-lost"
    message = "job {id} is {state} and no longer this worker's"


class WrongJobState(JobError):
    """The job's state does not allow this."""

    code = "wrong-job-state"
    message = "job {id} is {state}"
