"""Whether this process was asked to stop; signal handlers have no other place to record it."""

from __future__ import annotations

from threading import Event
from typing import Final

_STOP: Final = Event()


def request() -> None:
    """Ask the job that is being worked on to stop at its next report."""
    _STOP.set()


def is_requested() -> bool:
    """Whether this process was asked to stop."""
    return _STOP.is_set()
