"""Ending a wait for pointers early."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock


class Wake:
    """Ends the wait that it is given to from another thread, at once if it was called before."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._called = False
        self._end: Callable[[], object] | None = None

    @property
    def called(self) -> bool:
        """Whether it was called since it was last reset."""
        return self._called

    def reset(self) -> None:
        """End no wait from now on, until it is called again."""
        self._called = False

    def call(self) -> None:
        """End the wait; raises the store's own error."""
        with self._lock:
            self._called = True
            end = self._end
        if end is not None:
            end()

    @contextmanager
    def ending(self, end: Callable[[], object]) -> Iterator[None]:
        """Let `end` end the wait in this context; raises what `end` raises."""
        with self._lock:
            self._end = end
        try:
            if self._called:
                end()
            yield
        finally:
            with self._lock:
                self._end = None
