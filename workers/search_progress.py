"""Reports the progress of a job while a position is searched, and learns when to stop."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from service.jobs.errors import LeaseLost
from service.storage.capacity import STORE_AWAY
from workers.errors import Interrupted
from workers.task import Task

REPORT: Final = 0.2
"""Seconds between two reports, and so how long stopping or giving way to others takes."""


class SearchProgress:
    """The progress of a search, reported every REPORT seconds until the search has to stop.

    `done` of `total` positions are done; `note` is what to show of the one being searched.
    `prepare` is called before each report, and `give_way` in `must_stop` after it. Both may raise
    what a report raises.
    """

    def __init__(
        self,
        task: Task,
        done: int,
        total: int,
        prepare: Callable[[], None] = lambda: None,
        give_way: Callable[[Callable[[], None]], None] = lambda report: None,
    ) -> None:
        self.task = task
        self.done = done
        self.total = total
        self.prepare = prepare
        self.give_way = give_way
        self.note: dict[str, Any] | None = None
        self.stopped: Interrupted | LeaseLost | None = None
        self._next = time.monotonic() + REPORT

    def must_stop(self) -> bool:
        """Whether the search has to stop; called every few thousand nodes.

        `give_way` may wait for long here. While it does, it has to call the function that it gets,
        which reports.
        """
        if self.stopped is None and time.monotonic() >= self._next:
            try:
                self.report()
                self.give_way(self.report)
            except (Interrupted, LeaseLost) as error:
                self.stopped = error
            self._next = time.monotonic() + REPORT
        return self.stopped is not None

    def report(self) -> None:
        """Report the latest finding; raises LeaseLost and Interrupted.

        While the store is away, the search goes on without reports.
        """
        self.prepare()
        with suppress(*STORE_AWAY):
            self.task.report_progress(self.done, self.total, self.note)
