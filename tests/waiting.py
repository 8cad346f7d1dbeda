"""Bounded waits for other threads and processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from threading import Thread
from typing import TypeVar

PATIENCE = 180.0
"""Seconds after which a wait fails: far more than a busy machine needs."""

T = TypeVar("T")


def eventually(holds: Callable[[], T], what: str = "it comes to that", pause: float = 0.02) -> T:
    """Wait until `holds` returns something true, and return it."""
    for _ in patiently(what):
        if found := holds():
            return found
        time.sleep(pause)
    raise AssertionError(what)


def patiently(what: str) -> Iterator[None]:
    """Yield until the caller leaves the loop; raises AssertionError after too long."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        yield
    raise AssertionError(f"never: {what}")


def join(*threads: Thread) -> None:
    """Wait for threads to end."""
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive(), f"{thread.name} never ended"
