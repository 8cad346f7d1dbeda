"""Ends the processes of a pool with the process that made it.

What is started as a program of its own, with `subprocess`, is ended in the same case by
`service.operations.parent_death`.
"""

from __future__ import annotations

import multiprocessing
import os
from threading import Thread


def end_with_parent() -> None:
    """From now on, end this process with its parent, however that ends.

    It is for processes of `multiprocessing`, whatever its start method: a pool's `initializer`.
    """
    Thread(target=_wait_and_end, daemon=True).start()


def _wait_and_end() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
