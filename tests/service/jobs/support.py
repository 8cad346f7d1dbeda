"""What the tests of jobs share."""

from __future__ import annotations

from service.jobs.job import Job
from service.jobs.store import Jobs


class Clock:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.at = 1_700_000_000_000

    def __call__(self) -> int:
        return self.at

    def pass_by(self, milliseconds: int) -> None:
        """Move the clock forward."""
        self.at += milliseconds


def running(jobs: Jobs, id: str = "a", owner: str = "w") -> Job:
    """A job that a worker has begun."""
    jobs.create(id, "scoring", {"n": 1})
    job = jobs.claim(id, owner)
    assert job is not None
    return job
