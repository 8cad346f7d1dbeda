"""Workers as processes that a test starts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.service.redis_server import RedisServer
from tests.waiting import PATIENCE
from tests.workers.held import Hold
from tests.workers.support import environment

Start = Callable[[], subprocess.Popen[bytes]]


@contextmanager
def worker_processes(server: RedisServer, duty: str, hold: Hold | None = None) -> Iterator[Start]:
    """A function that starts worker processes for a duty; none outlives the context.

    Their jobs go as far as `hold` says.
    """
    begun: list[subprocess.Popen[bytes]] = []
    program = ["workers"] if hold is None else ["tests.workers.held", str(hold.file)]

    def start() -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", *program, duty]
        begun.append(subprocess.Popen(command, env=os.environ | environment(server)))
        return begun[-1]

    try:
        yield start
    finally:
        for process in begun:
            kill_worker(process)


def kill_worker(process: subprocess.Popen[bytes]) -> None:
    """Kill a worker and its job as a power cut would; helpers must end by themselves."""
    for pid in (process.pid, *children(process.pid)):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait(PATIENCE)


def children(pid: int) -> list[int]:
    """The processes that a process has forked."""
    try:
        listed = Path(f"/proc/{pid}/task/{pid}/children").read_text()
        return [int(child) for child in listed.split()]
    except (FileNotFoundError, ProcessLookupError):
        return []
