"""The store's time, which each process knows without asking the store each time."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import Any, Final

import redis

RESYNC: Final = 5.0
"""Seconds after which the store is asked again."""
SURE: Final = 0.05
"""Seconds by which a usual answer may be wrong; else the store or this process stood still."""
TRIES: Final = 3
"""How often the store is asked at first if its answers are slow."""
DRIFT: Final = 1e-4
"""How much two machines' oscillators may differ: 0.1 ms in each second."""


class StoreTime:
    """Milliseconds since 1970 UTC by the store's clock, the same for all processes that use it.

    Between two answers of the store (`TIME`) the process' own monotonic clock is used, so that a
    change of this machine's clock has no effect. An answer that came fast counts for more than one
    that came slowly. Thread-safe.
    """

    def __init__(self, store: redis.Redis, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.store = store
        self.monotonic = monotonic
        self._lock = Lock()
        self._offset: float | None = None
        self._doubt = 0.0
        self._heard = float("-inf")
        self._asked = float("-inf")

    def __call__(self) -> int:
        """The time now; raises the store's error if it has never been reached."""
        # Another thread may be waiting for the first answer at this moment.
        if self._offset is None:
            self._ask_first()
        elif self.monotonic() - self._asked > RESYNC:
            self.ask()
        assert self._offset is not None
        return int((self.monotonic() + self._offset) * 1000)

    def ask(self) -> None:
        """Ask the store for its time; a failure is ignored if it has answered before."""
        begun = self.monotonic()
        self._asked = begun
        try:
            answer: Any = self.store.time()
        except redis.RedisError:
            self._asked = float("-inf") if self._offset is None else begun
            if self._offset is None:
                raise
            return
        seconds, microseconds = answer
        self.hear(seconds + microseconds / 1e6, begun, self.monotonic())

    def _ask_first(self) -> None:
        """Ask until an answer comes fast: a slow one may be wrong by half the time it took."""
        for _ in range(TRIES):
            self.ask()
            if self._doubt <= SURE:
                return

    def hear(self, told: float, begun: float, ended: float) -> None:
        """Take the store's time in seconds, requested and received at these monotonic times."""
        with self._lock:
            doubt = (ended - begun) / 2
            offset = told - (begun + ended) / 2
            grown = self._doubt + (ended - self._heard) * DRIFT
            known = self._offset
            # A store whose clock was set is believed, however slow the answer.
            was_set = known is not None and abs(offset - known) > doubt + grown
            if known is None or doubt <= grown or was_set:
                self._offset, self._doubt, self._heard = offset, doubt, ended
