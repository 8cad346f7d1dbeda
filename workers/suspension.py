"""Suspending the job of this process while others have their turn.

`workers.time_sharing` runs jobs in processes of their own and resumes them. Elsewhere nothing can
be suspended.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Final

REPORT: Final = 0.5
"""Seconds between two reports of a suspended job."""

_scheduler: Connection | None = None
_others: Sequence[str] = ()
_stopped_seconds = 0.0


def connect(scheduler: Connection, others: Sequence[str]) -> None:
    """Make suspension possible: `scheduler` resumes this process; the jobs `others` are suspended.

    It gets the id of a job that is suspended. It sends the ids of the others to resume the job, and
    None if the job has to go back to the queue.
    """
    global _scheduler, _others
    _scheduler, _others = scheduler, others


def is_possible() -> bool:
    """Whether this process can be suspended."""
    return _scheduler is not None


def list_others() -> Sequence[str]:
    """The ids of the jobs that were suspended when this process began or was resumed."""
    return _others


def suspend(id: str, report: Callable[[], None]) -> bool:
    """Wait for this job's next turn, calling `report` every REPORT seconds; raises what it raises.

    False if the job has to go back to the queue instead.
    """
    global _others
    assert _scheduler is not None
    _scheduler.send(id)
    while not _scheduler.poll(REPORT):
        report()
    others: Sequence[str] | None = _scheduler.recv()
    if others is None:
        return False
    _others = others
    return True


@contextmanager
def stopped_clock() -> Iterator[None]:
    """Stop `clock` while a job is suspended, and in the moments before and after that."""
    global _stopped_seconds
    begun = time.monotonic()
    try:
        yield
    finally:
        _stopped_seconds += time.monotonic() - begun


def clock() -> float:
    """Seconds of `time.monotonic` during which the clock was not stopped."""
    return time.monotonic() - _stopped_seconds
