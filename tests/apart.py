"""Runs functions in separate processes, which the functions may kill.

Each process is forked from one that has already imported the service, which saves the time of a
start.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping
from multiprocessing import get_context
from typing import Final

from tests.waiting import PATIENCE

FORKS: Final = get_context("forkserver")
FORKS.set_forkserver_preload(["service.composition.projector", "service.archive.archiver"])

KILLED: Final = -signal.SIGKILL
"""The status of a process that was killed."""


def run_apart(
    task: Callable[..., object], *given: object, environment: Mapping[str, str] | None = None
) -> int:
    """Run a task in its own process and return the exit status: 0, or minus a signal's number.

    `environment` adds variables to this process's own; an exception is printed to standard error.
    """
    variables = {**os.environ, **(environment or {})}
    process = FORKS.Process(target=_do, args=(variables, task, given))
    process.start()
    process.join(PATIENCE)
    status = process.exitcode
    if status is None:
        process.kill()
        process.join()
    process.close()
    assert status is not None, "the process never ended"
    return status


def kill_self() -> None:
    """Kill this process as a power cut would."""
    os.kill(os.getpid(), signal.SIGKILL)


def _do(
    variables: Mapping[str, str], task: Callable[..., object], given: tuple[object, ...]
) -> None:
    os.environ.clear()
    os.environ.update(variables)
    task(*given)
