"""Turns at something that a process can do only a few times at once, shared fairly."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Turns:
    """At most `at_once` have a turn; `most` have one or wait, `most_for_one` of one client.

    Anybody else is refused with the error that `refuse` makes: so a flood of requests takes only
    its share of the process, and others find room.
    """

    def __init__(
        self, at_once: int, most: int, most_for_one: int, refuse: Callable[[], Exception]
    ) -> None:
        self._most = most
        self._most_for_one = most_for_one
        self._refuse = refuse
        self._admitted: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._turns = threading.Semaphore(at_once)

    def count(self) -> int:
        """The number of those that have a turn or wait for one."""
        with self._lock:
            return self._admitted.total()

    @contextmanager
    def take(self, client: str) -> Iterator[None]:
        """Wait for a turn and have it; raises what `refuse` makes."""
        with self._lock:
            crowded = self._admitted.total() >= self._most
            if crowded or self._admitted[client] >= self._most_for_one:
                raise self._refuse()
            self._admitted[client] += 1
        try:
            with self._turns:
                yield
        finally:
            with self._lock:
                self._admitted[client] -= 1
                self._admitted += Counter()
