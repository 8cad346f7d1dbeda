"""Waiting for what other threads and processes do, never for ever."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from threading import Thread
from typing import TypeVar

PATIENCE = 180.0
"""Seconds after which what should have happened will not: far more than a busy machine needs."""

T = TypeVar("T")


def eventually(holds: Callable[[], T], what: str = "it comes to that", pause: float = 0.02) -> T:
    """Wait until something is so; what there is then."""
    for _ in patiently(what):
        if found := holds():
            return found
        time.sleep(pause)
    raise AssertionError(what)


def patiently(what: str) -> Iterator[None]:
    """Go round a loop until it is left; AssertionError when it goes on for too long."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        yield
    raise AssertionError(f"never: {what}")


def join(*threads: Thread) -> None:
    """Wait for threads to end."""
    for thread in threads:
        thread.join(PATIENCE)
        assert not thread.is_alive(), f"{thread.name} never ended"
