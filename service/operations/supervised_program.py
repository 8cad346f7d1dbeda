"""A program that the supervisor keeps running, and its current process."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Final

from service.operations.errors import KeepsDying, describe_ending
from service.operations.forked_process import ForkedProcess, Module
from service.operations.parent_death import die_with

MOST_DEATHS: Final = 8
"""The number of ends in a row, none of them after readiness, at which to give up."""

SETTLED: Final = 1.0
"""Seconds after which a program without a readiness check counts as ready."""

FIRST_PAUSE: Final = 0.1
"""Seconds before the first restart; each further one in a row waits twice as long."""

LONGEST_PAUSE: Final = 10.0
"""The most seconds before a restart. A program that ran for longer begins anew with the first."""

LEAST_SAID: Final = 1.0
"""Seconds from which on the user is told how long the pause is."""


@dataclass(frozen=True, slots=True)
class Program:
    """A program to run and supervise.

    A command that is a Module runs in a fork of the supervisor, and inherits no files.
    `ready` returns whether it does its work; None if only its staying alive can show that.
    `inherited` are file descriptors it gets. `hint` says where a user finds out why it ended.
    `prepare` is called before each start and returns further arguments; `watch` is called about
    once a second while the program is ready. `excused` is called when it has ended, and returns
    whether it is to be restarted however often it ends; it may raise if that would be of no use.
    """

    name: str
    command: tuple[str, ...] | Module
    environment: Mapping[str, str]
    ready: Callable[[], bool] | None = None
    inherited: tuple[int, ...] = ()
    hint: str = "see its messages above"
    prepare: Callable[[], Sequence[str]] = lambda: ()
    watch: Callable[[], None] = lambda: None
    excused: Callable[[], bool] = lambda: False


@dataclass(slots=True)
class Child:
    """A program and its process. `run_dir` is where `<name>.pid` is kept; `say` tells the user."""

    program: Program
    run_dir: Path
    say: Callable[[str], None]
    ready: bool = False
    _process: subprocess.Popen[bytes] | ForkedProcess | None = None
    _began: float = 0.0
    _due: float = 0.0
    _deaths: int = field(default=0)
    _restarts: int = field(default=0)
    _noted: bool = False

    @property
    def running(self) -> bool:
        """Whether there is a process whose end, if it has ended, has not been noticed yet."""
        return self._process is not None

    @property
    def at_work(self) -> bool:
        """Whether it is ready or, without a readiness check, whether it runs."""
        return self.ready or (self.program.ready is None and self.running)

    def tend(self) -> None:
        """Start it if it does not run, check whether it has ended and whether it is ready.

        Raises KeepsDying.
        """
        if self._process is None:
            if monotonic() >= self._due:
                self._start()
            return
        if not self._noted:
            self._note(self._process.pid)
        status = self._process.poll()
        if status is not None:
            self._note_end(status)
        elif self.ready:
            self.program.watch()
        else:
            self.ready = self._is_ready()

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal to the process if it runs."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(number)

    def is_gone(self) -> bool:
        """Whether the process has ended after being told to; no restart follows."""
        if self._process is not None and self._process.poll() is not None:
            self._forget()
        return self._process is None

    def _start(self) -> None:
        program, tie = self.program, die_with(os.getpid())
        # A separate session: Ctrl-C reaches only the supervisor, which knows the order.
        if isinstance(program.command, Module):
            self._process = ForkedProcess(program.name, program.command, program.environment, tie)
        else:
            self._process = subprocess.Popen(
                [*program.command, *program.prepare()],
                env=program.environment,
                stdin=subprocess.DEVNULL,
                stdout=2,
                pass_fds=program.inherited,
                start_new_session=True,
                preexec_fn=tie,
            )
        self._began = monotonic()
        if failure := self._note(self._process.pid):
            self.say(f"{self._pid_file} cannot be written: {failure}")

    def _note(self, pid: int) -> str | None:
        """Write the pid file; returns what prevents it, such as a full disk, to be tried again."""
        try:
            self._pid_file.write_text(f"{pid}\n")
        except OSError as error:
            self._noted = False
            return error.strerror
        self._noted = True
        return None

    def _is_ready(self) -> bool:
        if self.program.ready is None:
            return monotonic() - self._began >= SETTLED
        return self.program.ready()

    def _note_end(self, status: int) -> None:
        self._deaths = 1 if self.ready else self._deaths + 1
        self._restarts = 0 if monotonic() - self._began > LONGEST_PAUSE else self._restarts + 1
        self._forget()
        if not self.program.excused() and self._deaths >= MOST_DEATHS:
            raise KeepsDying(self.program.name, status, self._deaths, self.program.hint)
        pause = min(FIRST_PAUSE * 2 ** min(max(self._restarts - 1, 0), 10), LONGEST_PAUSE)
        self._due = monotonic() + pause
        when = f" in {pause:.0f} s" if pause >= LEAST_SAID else ""
        self.say(f"{self.program.name} ended ({describe_ending(status)}); starting it again{when}")

    def _forget(self) -> None:
        self._process = None
        self.ready = False
        self._pid_file.unlink(missing_ok=True)

    @property
    def _pid_file(self) -> Path:
        return self.run_dir / f"{self.program.name}.pid"
