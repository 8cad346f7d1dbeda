"""Long computations in a separate process, while the job that waits for them is held.

A computation that reports nothing would lose its job to another worker, and could not be stopped.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, Final, ParamSpec, TypeVar

from service.operations.parent_death import die_with
from workers.errors import ChildDied
from workers.task import Task

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

REPORTED: Final = 1.0
"""Seconds between two reports of the job."""


def run_in_subprocess(
    task: Task,
    function: Callable[Arguments, Result],
    *args: Arguments.args,
    **kwargs: Arguments.kwargs,
) -> Result:
    """Call `function` in a separate process and return its result; all must be picklable.

    Raises what the function raises, what `Task.report_progress` raises, and ChildDied if the
    process gave no answer. The computation ends with this process at the latest.
    """
    context = get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    given = (theirs, os.getpid(), function, args, kwargs)
    child = context.Process(target=_compute, args=given, daemon=True)
    child.start()
    theirs.close()
    try:
        while not ours.poll(REPORTED):
            task.report_progress(0, 1)
        good, answer = ours.recv()
    except EOFError:
        child.join()
        raise ChildDied(child.exitcode) from None
    finally:
        child.kill()
        child.join()
        ours.close()
    if not good:
        raise answer
    result: Result = answer
    return result


def _compute(
    answer: Connection,
    parent: int,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> None:
    die_with(parent)()
    try:
        found = (True, function(*args, **kwargs))
    except Exception as error:
        found = (False, error)
    answer.send(found)
