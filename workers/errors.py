"""How a job can end other than well.

WorkerError
├── ChildDied     the process of a long computation ended without an answer
├── Incomplete    the job is through, but some of its work could not be done
├── Interrupted   the worker is told to stop; the job goes back to the queue
│   └── TurnOver  others wait; the job goes back to the queue
└── UnknownKind   no function is known for jobs of this kind
"""

from __future__ import annotations

from typing import Any


class WorkerError(Exception):
    """Base of the workers' errors."""


class ChildDied(WorkerError):
    """A computation's process ended with `exitcode`, negative for a signal."""

    def __init__(self, exitcode: int | None) -> None:
        super().__init__(exitcode)
        self.exitcode = exitcode

    def __str__(self) -> str:
        return f"a computation ended with code {self.exitcode}"


class Incomplete(WorkerError):
    """Another try would not help; `outcome` tells what was done and what was not, and why."""

    def __init__(self, reason: str, outcome: Any) -> None:
        super().__init__(reason, outcome)
        self.reason = reason
        self.outcome = outcome

    def __str__(self) -> str:
        return self.reason


class Interrupted(WorkerError):
    """The worker process was told to stop."""

    def __str__(self) -> str:
        return "the worker is stopping"


class TurnOver(Interrupted):
    """The job has been worked on for long enough, and others wait."""

    def __str__(self) -> str:
        return "others wait for their turn"


class UnknownKind(WorkerError):
    """A newer version of the service has made this job."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind

    def __str__(self) -> str:
        return f"no worker function for jobs of kind {self.kind!r}"
