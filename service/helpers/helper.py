"""A helper's process: it searches the job it reads from standard input until that is over.

It exits at the end of its input, and when the process that started it is gone.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from select import select
from typing import Final

from engine.position import MAX_DEPTH, Position
from engine.search import Limits, Search
from engine.search.helpers import Assignment, Finding
from engine.search.table import TranspositionTable
from engine.variant import Variant
from service.helpers.job import Job
from service.helpers.memory import BEGUN, SharedMemory, pack_nodes

INPUT: Final = 0
LOOK: Final = 1.0
"""Seconds between two checks for the parent while there is nothing to do."""
CHUNK: Final = 65536


class Helper:
    """The helper with a `number`, from 1, of a search in process `parent`.

    For its own search it plays the part of the helpers: it provides the table and counts nodes.
    """

    def __init__(self, memory: SharedMemory, number: int, parent: int) -> None:
        self._memory = memory
        self._number = number
        self._parent = parent
        self._job = 0
        self._table = memory.make_table()

    def run(self) -> None:
        """Help until nobody is left to help."""
        self._memory.report(self._number, BEGUN)
        for lines in self._iterate_input():
            job = Job.read(lines[-1])
            if job is not None and job.number == self._memory.job:
                self._help(job)

    def _iterate_input(self) -> Iterator[list[bytes]]:
        """Yield the whole lines that have arrived meanwhile, at least one."""
        begun = b""
        while not self._is_orphan():
            if not select([INPUT], [], [], LOOK)[0]:
                continue
            data = os.read(INPUT, CHUNK)
            if not data:
                return
            *whole, begun = (begun + data).split(b"\n")
            if lines := [line for line in whole if line]:
                yield lines

    def _is_orphan(self) -> bool:
        return os.getppid() != self._parent

    def _help(self, job: Job) -> None:
        """Search a position until the job is over."""
        assigned = job.to_assignment()
        self._job = job.number
        self._memory.report(self._number, pack_nodes(job.number, 0))
        search = Search(
            assigned.variant,
            # A different order of equal actions.
            seed=assigned.seed + self._number,
            techniques=assigned.techniques,
            parameters=assigned.parameters,
            draw_by_points=assigned.draw_by_points,
            helpers=self,
        )
        # So that the search begins the generation that is under way.
        self._table.generation = (assigned.generation - 1) & 255
        for iteration in search.iterate(
            assigned.position,
            Limits(depth=MAX_DEPTH),
            lines=assigned.lines,
            actions=assigned.actions,
            stop=self._is_over,
            depths=find_depths(self._number),
        ):
            best = iteration.lines[0]
            if iteration.complete and best.actions:
                found = Finding(iteration.depth, best.score, best.actions[0])
                self._memory.report_finding(self._number, job.number, found)

    def _is_over(self) -> bool:
        return self._memory.job != self._job or self._is_orphan()

    def make_table(self, mebibytes: int) -> TranspositionTable:
        """The shared table, whatever size is requested."""
        return self._table

    def adopt(self, variant: Variant, position: Position) -> Position:
        """The position itself: it comes from the job."""
        return position

    def begin(self, assignment: Assignment) -> None:
        """Do nothing: it has no helpers."""

    def count_nodes(self, own: int) -> int:
        """Report the nodes so far."""
        self._memory.report(self._number, pack_nodes(self._job, own))
        return own

    def find_deepest(self) -> Finding | None:
        """None: it has no helpers."""
        return None

    def end(self) -> None:
        """Do nothing: it has no helpers."""


def find_depths(number: int) -> range:
    """The depths to which a helper searches: every other helper begins one depth ahead.

    So it is about to finish the depth that the search itself reaches next.

    >>> find_depths(1)[:3], find_depths(2)[:3]
    (range(2, 5), range(1, 4))
    """
    return range(1 + number % 2, MAX_DEPTH + 1)


def main(arguments: Sequence[str]) -> None:
    """Run as `DESCRIPTOR MEBIBYTES NUMBER PARENT`."""
    descriptor, mebibytes, number, parent = map(int, arguments)
    # The process that it helps handles interrupts itself, and may want to go on.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    memory = SharedMemory(descriptor, mebibytes)
    os.close(descriptor)
    Helper(memory, number, parent).run()


if __name__ == "__main__":
    main(sys.argv[1:])
