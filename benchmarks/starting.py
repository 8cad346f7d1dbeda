"""How long `movelog serve` takes to start, and its processor time, beside an earlier revision.

`python -m benchmarks.starting REVISION` compares with another one. The first start makes the data
directory and is not counted: each service is started on an existing one.
"""

from __future__ import annotations

import http.client
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.revisions import check_out
from benchmarks.server import ROOT
from benchmarks.turns import Measurement, progress
from benchmarks.whole_service import PATIENCE, WholeService, run_service, start_service, sum_cpu

BASELINE: Final = "05061be"
"""The last revision before the projector and the workers became forks of the supervisor."""
MOST: Final = 3.0
"""Seconds within which it has to answer on a quiet machine."""


@dataclass(frozen=True, slots=True)
class Start:
    """Seconds of one start: until an answer, until everything is ready, and processor time.

    `memory` is what its processes hold, each page counted once, in bytes.
    """

    answer: float
    ready: float
    processor: float
    memory: int


def measure(folder: Path, data: Path) -> Start:
    """Start the service of a checkout once, on existing data."""
    begun = time.monotonic()
    with start_service({}, data, folder) as service:
        await_answer(service)
        answer = time.monotonic() - begun
        service.wait_until_ready()
        ready = time.monotonic() - begun
        spent = sum_cpu(service.process.pid)
        return Start(answer, ready, spent, sum_memory(service.process.pid))


def await_answer(service: WholeService) -> None:
    """Wait until it answers a request; once it listens, the request waits at its socket."""
    end = time.monotonic() + PATIENCE
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=PATIENCE)
        try:
            connection.request("GET", "/healthz")
            assert connection.getresponse().status == 200
            return
        except ConnectionError:
            if time.monotonic() > end:
                raise
            time.sleep(0.005)
        finally:
            connection.close()


def sum_memory(pid: int) -> int:
    """Bytes of a process and all that it has started; a shared page is counted once."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    own = next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return own + sum(sum_memory(int(child)) for child in children)


def figures(revision: str = BASELINE, rounds: int = 5) -> Iterator[Measurement]:
    """The medians of alternating starts of this checkout and of the revision."""
    with ExitStack() as stack:
        folders = (ROOT, stack.enter_context(check_out(revision)))
        data = [Path(stack.enter_context(tempfile.TemporaryDirectory()), "data") for _ in folders]
        for folder, own in zip(folders, data, strict=True):
            with run_service({}, own, folder):
                pass
        pairs = [
            tuple(measure(folder, own) for folder, own in zip(folders, data, strict=True))
            for _ in progress(range(rounds), "starts")
        ]
    for name, unit, field, scale in (
        ("until it answers", "s", "answer", 1.0),
        ("until all of it is ready", "s", "ready", 1.0),
        ("processor time of all its processes", "s", "processor", 1.0),
        ("memory of all its processes", "MiB", "memory", 2**20),
    ):
        ours, theirs = (
            statistics.median(getattr(one[side], field) for one in pairs) / scale for side in (0, 1)
        )
        told = f"{ours:.2f} {unit}", f"{revision} {theirs:.2f} {unit}"
        if field == "answer":
            yield Measurement(
                f"movelog serve started: {name}", told[0], told[1], ours / MOST, bar=1, most=True
            )
        else:
            yield Measurement(f"movelog serve started: {name}", *told, ours / theirs)


if __name__ == "__main__":
    for figure in figures(sys.argv[1] if len(sys.argv) > 1 else BASELINE):
        print(figure, flush=True)
