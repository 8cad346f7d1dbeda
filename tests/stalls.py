"""How long the machine itself stood still, which no bound of a test may blame on the service."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from tests.waiting import join

PAUSE = 0.05
LEAST = 0.3
"""Seconds by which a short pause is longer when the machine stands still; else it is just busy."""


@contextmanager
def measured_stalls(touch: Callable[[], object] = lambda: None) -> Iterator[Callable[[], float]]:
    """Yields what returns for how many seconds the machine has stood still since.

    The time for which `touch` waits, for another process, counts too.
    """
    over = Event()
    stalls = [0.0]

    def watch() -> None:
        while not over.is_set():
            begun = time.monotonic()
            time.sleep(PAUSE)
            touch()
            late = time.monotonic() - begun - PAUSE
            if late >= LEAST:
                stalls.append(late)

    thread = Thread(target=watch, name="stalls")
    thread.start()
    try:
        yield lambda: sum(stalls)
    finally:
        over.set()
        join(thread)
