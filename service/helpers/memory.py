"""Memory that a search shares with its helpers: the table, followed by a few numbers.

It has no name that could outlive the processes: the system frees it when the last of them ends, in
whatever way.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from typing import Final

from engine.position import Action
from engine.search import packing
from engine.search.helpers import Finding
from engine.search.table import TranspositionTable, count_integers
from service.helpers import MOST_THREADS

INTEGER: Final = 8
"""Bytes of an integer."""
PAGE: Final = 4096
"""Bytes after the table."""
NODES_BITS: Final = 40
NODES_MASK: Final = (1 << NODES_BITS) - 1
LAST_JOB: Final = 1 << 22
"""Jobs are numbered from 1 to this number, then from 1 again."""
BEGUN: Final = 1
"""What a helper reports before its first job."""
FINDINGS: Final = 1 + MOST_THREADS
"""The index from which each helper has two integers for what it has found."""


def create_file(mebibytes: int) -> int:
    """A descriptor of memory for a table of this size; OSError if the system has none."""
    size = count_integers(mebibytes) * INTEGER + PAGE
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("movelog-table")
    else:
        with tempfile.TemporaryFile() as file:
            descriptor = os.dup(file.fileno())
    try:
        os.ftruncate(descriptor, size)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


class SharedMemory:
    """The memory behind a descriptor of `create_file`, for a table of `mebibytes`.

    One integer is the number of the job under way, 0 if there is none; each helper has another one
    for the nodes that it has searched for a job. A processor writes each of them atomically. What a
    helper has found is written as an entry of the table, and beside it the job XOR the entry.
    """

    def __init__(self, descriptor: int, mebibytes: int) -> None:
        self._mebibytes = mebibytes
        self._integers = count_integers(mebibytes)
        self._map = mmap.mmap(descriptor, self._integers * INTEGER + PAGE)
        self._memory = memoryview(self._map).cast("q")
        self._numbers = self._memory[self._integers :]

    def make_table(self) -> TranspositionTable:
        """The table with its present content."""
        return TranspositionTable(self._mebibytes, self._memory)

    def clear_table(self) -> None:
        """Empty the table."""
        nothing = bytes(1 << 20)
        for at in range(0, self._integers * INTEGER, len(nothing)):
            self._map[at : at + len(nothing)] = nothing

    @property
    def job(self) -> int:
        """The number of the job under way, 0 if there is none."""
        return self._numbers[0]

    @job.setter
    def job(self, number: int) -> None:
        self._numbers[0] = number

    def report(self, helper: int, report: int) -> None:
        """Write what a helper, from 1, reports: `pack_nodes`, BEGUN, or 0 for nothing yet."""
        self._numbers[helper] = report

    def has_begun(self, helper: int) -> bool:
        """Whether a helper has reported anything."""
        return self._numbers[helper] != 0

    def count_nodes(self, helpers: int) -> int:
        """The nodes that the first `helpers` helpers have searched for the job under way."""
        reports = self._numbers[1 : helpers + 1].tolist()
        job = self.job
        return sum(report & NODES_MASK for report in reports if report >> NODES_BITS == job != 0)

    def report_finding(self, helper: int, job: int, finding: Finding) -> None:
        """Write what a helper has found for a job."""
        entry = (
            finding.action
            | (finding.score + packing.SCORE_OFFSET) << packing.SCORE_SHIFT
            | finding.depth << packing.DEPTH_SHIFT
        )
        at = FINDINGS + 2 * helper
        self._numbers[at] = job ^ entry
        self._numbers[at + 1] = entry

    def list_findings(self, helpers: int) -> list[Finding]:
        """What the first `helpers` helpers have found for the job under way, if anything."""
        numbers = self._numbers[FINDINGS + 2 : FINDINGS + 2 * (helpers + 1)].tolist()
        pairs = zip(numbers[::2], numbers[1::2], strict=True)
        job = self.job
        return [_unpack_finding(entry) for key, entry in pairs if key ^ entry == job != 0]


def _unpack_finding(entry: int) -> Finding:
    score = (entry >> packing.SCORE_SHIFT & packing.SCORE_MASK) - packing.SCORE_OFFSET
    depth = entry >> packing.DEPTH_SHIFT & packing.DEPTH_MASK
    return Finding(depth, score, Action(entry & packing.MOVE_MASK))


def pack_nodes(job: int, nodes: int) -> int:
    """A helper's report of the nodes that it has searched for a job."""
    return job << NODES_BITS | min(nodes, NODES_MASK)
