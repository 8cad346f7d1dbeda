"""Errors that end a job.

WorkerError
├── ChildDied     the process of a long computation ended without an answer
├── Incomplete    the job is done, but some of its work was not possible
├── Interrupted   the worker has to stop; the job goes back to the queue
│   └── TurnOver  others wait; the job goes back to the queue
├── Postponed     the job cannot be done yet; it goes back to the queue
└── UnknownKind   no function is known for jobs of this kind
"""

from __future__ import annotations

from typing import Any

from engine.described_error import DescribedError


class WorkerError(DescribedError):
    """Base of the workers' errors."""


class ChildDied(WorkerError):
    """A computation's process ended with `exitcode`, negative for a signal."""

    message = "a computation ended with code {exitcode}"
    exitcode: int | None


class Incomplete(WorkerError):
    """Another try would not help; `outcome` says what was done, what was not, and why."""

    message = "{reason}"
    reason: str
    outcome: Any


class Interrupted(WorkerError):
    """The worker process was asked to stop."""

    message = "the worker is stopping"


class TurnOver(Interrupted):
    """The job has been worked on for long enough, and others wait."""

    message = "others wait for their turn"


class Postponed(WorkerError):
    """The job can be done at `due` at the earliest, in milliseconds since 1970 UTC."""

    message = "the job is postponed to {due}"
    due: int


class UnknownKind(WorkerError):
    """A newer version of the service has made this job."""

    message = "no worker function for jobs of kind {kind!r}"
    kind: str
