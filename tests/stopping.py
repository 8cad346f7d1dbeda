"""Processes paused for a while, as under a debugger."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


@contextmanager
def stopped(pids: Iterable[int]) -> Iterator[None]:
    """Pause these processes, and resume them at the end."""
    held = list(pids)
    for pid in held:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in held:
            os.kill(pid, signal.SIGCONT)
