"""A Python module run as a program in a fork of this process, which has imported what it needs.

So everything is imported once, however many such programs there are, and the memory is shared.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import os
import runpy
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Final, NoReturn

_SET_NAME: Final = 15  # PR_SET_NAME, prctl(2)
HANDLED: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)
"""The signals that the parent handles."""
_FIRST_FILE: Final = 3
_LAST_FILE: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Module:
    """A module that is run as `python -m NAME ARGUMENTS…` would, once `imports` are imported."""

    name: str
    arguments: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()


class ForkedProcess:
    """The process of a module, of which this process is the parent.

    It reads nothing, writes to this process's standard error, has none of its other files, and
    leads its own session. Fork only from the main thread of a process without other threads.
    """

    def __init__(
        self, name: str, module: Module, environment: Mapping[str, str], begin: Callable[[], None]
    ) -> None:
        """`name` is its name in `ps`; `begin` is called in it before anything else."""
        for imported in module.imports:
            import_module(imported)
        sys.stdout.flush()
        sys.stderr.flush()
        self._status: int | None = None
        # This process's handlers must not take what is sent to the fork before it has dropped them.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, HANDLED)
        try:
            self.pid = os.fork()
            if not self.pid:
                _run(name, module, environment, begin, mask)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    def poll(self) -> int | None:
        """Its exit status, negative for a signal; None while it runs."""
        if self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._status = os.waitstatus_to_exitcode(status)
        return self._status

    def send_signal(self, number: signal.Signals) -> None:
        """Send a signal to the process if it runs."""
        if self.poll() is None:
            os.kill(self.pid, number)


def _run(
    name: str,
    module: Module,
    environment: Mapping[str, str],
    begin: Callable[[], None],
    mask: set[signal.Signals | int],
) -> NoReturn:
    """Run the module in the fork; `mask` are the signals that are to be blocked."""
    status = 1
    try:
        os.setsid()
        begin()
        _forget_parent()
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        _name_process(name)
        os.environ.clear()
        # Processes that it starts must not find packages in the current directory either.
        os.environ.update({**environment, "PYTHONSAFEPATH": "1"})
        sys.argv = [module.name, *module.arguments]
        runpy.run_module(module.name, run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as leaving:
        status = _read_status(leaving.code)
    except BaseException:
        traceback.print_exc()
    finally:
        _end(status)


def _forget_parent() -> None:
    """Drop what belongs to the parent: its files, signal handlers and exit handlers.

    Its objects are not garbage-collected here: that would close files with the same numbers.
    """
    gc.freeze()
    atexit._clear()
    signal.set_wakeup_fd(-1)
    for number in HANDLED:
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.closerange(_FIRST_FILE, _LAST_FILE)


def _name_process(name: str) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_NAME, name.encode(), 0, 0, 0)


def _read_status(code: object) -> int:
    """The exit status of `sys.exit(code)`; a code that is not a number is reported."""
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    print(code, file=sys.stderr)
    return 1


def _end(status: int) -> NoReturn:
    """End as an interpreter does, but without unwinding the parent's calls."""
    try:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)
