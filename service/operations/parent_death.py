"""Ends a child process when the process that started it dies.

`python -m service.operations.parent_death PARENT MODULE ARGUMENT…` runs a module as a program that
ends so. A process with threads, whose forks may run no Python, can start that.
"""

from __future__ import annotations

import ctypes
import os
import runpy
import signal
import sys
from collections.abc import Callable, Sequence

_SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG, prctl(2)


def die_with(parent: int) -> Callable[[], None]:
    """A function to call in a child process: the kernel then kills it when `parent` dies.

    The kernel watches the thread that started the child, so that thread must not end. Only Linux
    can do this; elsewhere the function does nothing.
    """
    if sys.platform != "linux":
        return lambda: None
    prctl = ctypes.CDLL(None, use_errno=True).prctl

    def tie() -> None:
        if prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0) != 0:
            error = ctypes.get_errno()
            raise OSError(error, os.strerror(error))
        if os.getppid() != parent:
            # The parent died before it could be watched.
            os.kill(os.getpid(), signal.SIGKILL)

    return tie


def main(arguments: Sequence[str]) -> None:
    """Run as `PARENT MODULE ARGUMENT…`."""
    parent, module, *_ = arguments
    die_with(int(parent))()
    sys.argv = list(arguments[1:])
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(sys.argv[1:])
