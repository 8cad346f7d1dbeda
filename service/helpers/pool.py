"""The helpers of a search, in processes that are kept from one search to the next."""

from __future__ import annotations

import os
import time
import weakref
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

from engine.position import Position
from engine.search.helpers import Assignment, Finding
from engine.search.table import TranspositionTable
from engine.variant import Variant
from notation.registry import find_dialect
from service.helpers import MOST_THREADS
from service.helpers.job import Job
from service.helpers.memory import LAST_JOB, SharedMemory, create_file
from service.helpers.process import HelperProcess

MOST_STARTS: Final = 5
"""How often a helper that dies is started."""
STARTING: Final = 10.0
"""The most seconds to wait for helpers; a search begins without those that take longer."""


class HelperPool:
    """The helpers of a search with `threads` threads, one of which is the search itself.

    They implement `engine.search.helpers.Helpers`, for one search at a time. They start with the
    first table, while the search goes on; one that dies is started again with the next search.
    `close` ends them. ValueError if `threads` is not from 1 to MOST_THREADS.
    """

    def __init__(self, threads: int) -> None:
        if not 1 <= threads <= MOST_THREADS:
            raise ValueError(threads)
        self.threads: Final = threads
        self._count = threads - 1
        self._mebibytes = 0
        self._memory: SharedMemory | None = None
        self._descriptors: list[int] = []
        self._processes: dict[int, HelperProcess] = {}
        self._starts = dict.fromkeys(range(1, threads), 0)
        self._job = 0
        self._line = b""
        self._untold: list[HelperProcess] = []
        # A process that is forked from this one must not end its helpers.
        self._end = weakref.finalize(
            self, _end_helpers, os.getpid(), self._processes, self._descriptors
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def process_ids(self) -> list[int]:
        """The system's ids of the processes that were started last."""
        return [process.id for process in self._processes.values()]

    def make_table(self, mebibytes: int) -> TranspositionTable:
        """An empty table; OSError if there is no memory for it. A new size restarts the helpers."""
        if self._count == 0:
            return TranspositionTable(mebibytes)
        if self._memory is None or mebibytes != self._mebibytes:
            self.close()
            descriptor = create_file(mebibytes)
            self._descriptors.append(descriptor)
            self._mebibytes = mebibytes
            self._memory = SharedMemory(descriptor, mebibytes)
            self._start_missing()
        else:
            self._memory.clear_table()
        return self._memory.make_table()

    def wait(self, seconds: float = STARTING) -> None:
        """Wait until all helpers have started, for at most `seconds`."""
        ends = time.monotonic() + seconds
        while self._is_starting() and time.monotonic() < ends:
            time.sleep(0.002)

    def _is_starting(self) -> bool:
        return self._memory is not None and any(
            process.is_alive() and not self._memory.has_begun(number)
            for number, process in self._processes.items()
        )

    def adopt(self, variant: Variant, position: Position) -> Position:
        """The position as read from its text, which is what a job holds."""
        if self._memory is None:
            return position
        written = find_dialect(variant.name)
        return written.read_fen(written.write_fen(position))

    def begin(self, assignment: Assignment) -> None:
        """Send every helper what is searched."""
        if self._memory is None:
            return
        self._start_missing()
        self._job = self._job % LAST_JOB + 1
        self._line = Job.of(self._job, assignment).write()
        self._memory.job = self._job
        self._untold = list(self._processes.values())
        self._tell_untold()

    def _tell_untold(self) -> None:
        """Send the job to the helpers that could not take it before."""
        self._untold = [process for process in self._untold if not process.tell(self._line)]

    def count_nodes(self, own: int) -> int:
        """The search's own nodes and those that the helpers have reported."""
        if self._memory is None:
            return own
        self._tell_untold()
        return own + self._memory.count_nodes(self._count)

    def find_deepest(self) -> Finding | None:
        """What was found by the deepest search that a helper has finished for this job."""
        if self._memory is None:
            return None
        found = self._memory.list_findings(self._count)
        return max(found, key=lambda finding: finding.depth, default=None)

    def end(self) -> None:
        """Stop the helpers within a few milliseconds, without waiting for them."""
        self._untold = []
        if self._memory is not None:
            self._memory.job = 0

    def close(self) -> None:
        """End all helpers; the next table starts new ones."""
        _end_helpers(os.getpid(), self._processes, self._descriptors)
        self._starts = dict.fromkeys(self._starts, 0)
        self._untold = []
        self._memory = None

    def _start_missing(self) -> None:
        """Start the helpers that are missing, unless they have died too often."""
        assert self._memory is not None
        for number, starts in self._starts.items():
            process = self._processes.get(number)
            if process and process.is_alive():
                continue
            if process:
                self._processes.pop(number).close()
            if starts == MOST_STARTS:
                continue
            self._starts[number] += 1
            self._memory.report(number, 0)
            [descriptor] = self._descriptors
            with suppress(OSError):  # no process available: the search goes on without it
                self._processes[number] = HelperProcess(descriptor, self._mebibytes, number)


def _end_helpers(owner: int, processes: dict[int, HelperProcess], descriptors: list[int]) -> None:
    """End the processes and close the descriptors, if this process owns them."""
    if os.getpid() != owner:
        return
    while processes:
        processes.popitem()[1].close()
    while descriptors:
        os.close(descriptors.pop())
