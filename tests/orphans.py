"""Programs that are killed, and what is left of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.project.tree import ROOT
from tests.waiting import eventually


def assert_no_orphans(program: str | Path, processes: int) -> None:
    """Kill a program once it has printed a line, and wait until its processes have ended.

    `program` is Python text, or the path of a file with it. By then it must have at least this many
    `processes`, itself included.
    """
    given = [str(program)] if isinstance(program, Path) else ["-c", program]
    started = subprocess.Popen(
        [sys.executable, *given],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert started.stdout is not None
    with killing_group(started):
        assert started.stdout.readline()
        eventually(lambda: len(list_group(started.pid)) >= processes, "the processes to start")
        started.kill()
        started.wait()
        eventually(lambda: not list_group(started.pid), "the processes to end")


@contextmanager
def killing_group(started: subprocess.Popen[bytes]) -> Iterator[None]:
    """Kill what is left, at the end, of the group of a process that has its own session."""
    with started:
        try:
            yield
        finally:
            if list_group(started.pid):
                os.killpg(started.pid, signal.SIGKILL)


def list_group(group: int) -> list[int]:
    """The processes of a group that have not ended."""
    return list(_iterate_group(group))


def _iterate_group(group: int) -> Iterator[int]:
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            status = (entry / "stat").read_text()
        except OSError:
            continue  # it has just ended
        state, _, its_group = status.rpartition(")")[2].split()[:3]
        if int(its_group) == group and state != "Z":
            yield int(entry.name)
