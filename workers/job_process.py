"""A process of its own for one job, which can suspend itself."""

from __future__ import annotations

import gc
import logging
import os
import signal
from collections.abc import Callable, Sequence
from multiprocessing import get_context
from multiprocessing.connection import Connection

from service.operations.parent_death import die_with
from workers import stop_request, suspension

log = logging.getLogger(__name__)


class JobProcess:
    """A process that calls `work`; it ends with the process that starts it, at the latest.

    `others` are the ids of the jobs that are suspended now. `connection` can be read when the
    process has something to say, for `listen`.
    """

    def __init__(self, work: Callable[[], None], others: Sequence[str]) -> None:
        context = get_context("fork")
        self.connection, theirs = context.Pipe()
        given = (theirs, os.getpid(), work, others)
        self._process = context.Process(target=_run, args=given)
        self._process.start()
        theirs.close()
        self.suspended: str | None = None
        """The id of the process's job while that is suspended."""
        self.ended = False

    @property
    def is_active(self) -> bool:
        """Whether the process is working: it has not ended, and is not suspended."""
        return self.suspended is None and not self.ended

    def listen(self) -> None:
        """Learn that the process has suspended itself, or has ended."""
        try:
            self.suspended = self.connection.recv()
        except (EOFError, ConnectionResetError):
            self.suspended, self.ended = None, True
            self._process.join()
            if code := self._process.exitcode:
                log.warning("a job's process ended with code %d", code)
            self.connection.close()

    def resume(self, others: Sequence[str]) -> None:
        """Let a suspended process go on; the jobs `others` are suspended now."""
        self._answer(others)

    def give_back(self) -> None:
        """Let a suspended process put its job back into the queue, and end."""
        self._answer(None)

    def stop(self) -> None:
        """Ask the process to put its job back at its next report, and to end."""
        self._process.terminate()

    def kill(self) -> None:
        """End the process at once: its job is taken from it when its lease expires."""
        self._process.kill()

    def _answer(self, answer: Sequence[str] | None) -> None:
        self.suspended = None
        try:
            self.connection.send(answer)
        except BrokenPipeError:
            log.debug("a suspended process has ended", exc_info=True)


def _run(
    scheduler: Connection, parent: int, work: Callable[[], None], others: Sequence[str]
) -> None:
    die_with(parent)()
    # The garbage collector would write to all of the worker's memory, and so have it copied.
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: stop_request.request())
    suspension.connect(scheduler, others)
    work()
