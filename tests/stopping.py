"""Processes paused for a while, as under a debugger."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress


@contextmanager
def stopped(pids: Iterable[int]) -> Iterator[None]:
    """Pause these processes, and resume them at the end; some may have ended by then."""
    held = list(pids)
    for pid in held:
        send(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in held:
            send(pid, signal.SIGCONT)


def send(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process that may have ended."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)
