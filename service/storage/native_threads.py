"""Runs blocking calls in native threads where a gevent loop must go on."""

from __future__ import annotations

import _thread
import os
import sys
from collections.abc import Callable
from functools import partial
from time import monotonic
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")

THREADS: Final = 8
"""Calls that run at a time in one process; others wait for their turn."""
LATE: Final = 0.3
"""Seconds by which a timeout comes too late if the loop stood still or had too much to do."""
PROMPT: Final = "prompt"
"""The threads for calls that return soon; they queue behind no others."""
OBJECTS: Final = "objects"
"""The threads for calls of the object store: while it hangs, those of the database go on."""
POOLS: Final = {"": THREADS, PROMPT: 2, OBJECTS: THREADS}

_pools: dict[tuple[int, str], Any] = {}


class TookTooLong(Exception):
    """A call did not return in time; it goes on, but nobody waits for it any more."""


def call_natively(
    call: Callable[[], T], patience: float | None = None, pool: str | None = None
) -> T:
    """Return or raise what `call` does; under gevent the other greenlets go on meanwhile.

    `call` must not use anything that gevent has patched: no socket of Redis, no lock of a greenlet.
    Under gevent, TookTooLong is raised after `patience` seconds, later only if the loop stood
    still. `pool` names the threads, of POOLS.
    """
    if not _is_patched():
        return call()
    from gevent import Timeout, get_hub

    hub = get_hub()
    if hub is not _main_hub(hub):
        return call()
    name = pool or ("" if patience is None else PROMPT)
    begun = monotonic()
    answer: Any = None
    try:
        with Timeout(patience, TookTooLong):
            answer = _pool(hub, name).spawn(partial(_Outcome, call))
            outcome: _Outcome[T] = answer.get()
    except TookTooLong:
        if answer is None or patience is None or monotonic() - begun < patience + LATE:
            raise
        # The answer may have come while the loop stood still.
        with Timeout(LATE, TookTooLong):
            outcome = answer.get()
    return outcome.unwrap()


def start_natively(call: Callable[[], object]) -> None:
    """Begin a call in a native thread of its own; nobody waits for it."""
    start = _thread.start_new_thread
    if _is_patched():
        from gevent.monkey import get_original

        start = get_original("_thread", "start_new_thread")
    start(_call_and_clean_up, (call,))


def make_native_lock() -> _thread.LockType:
    """A lock for native threads, whatever gevent has patched; a greenlet must not wait for it."""
    allocate = _thread.allocate_lock
    if _is_patched():
        from gevent.monkey import get_original

        allocate = get_original("_thread", "allocate_lock")
    return allocate()


def _call_and_clean_up(call: Callable[[], object]) -> None:
    try:
        call()
    finally:
        if _is_patched():
            # What the call waited with; gevent would leave it behind.
            from gevent import get_hub

            get_hub().destroy(destroy_loop=True)


class _Outcome(Generic[T]):
    """What a call returned or raised; gevent would print what a thread raises."""

    def __init__(self, call: Callable[[], T]) -> None:
        self._returned: list[T] = []
        self._raised: BaseException | None = None
        try:
            self._returned.append(call())
        except BaseException as error:
            self._raised = error

    def unwrap(self) -> T:
        if self._raised is not None:
            raise self._raised
        return self._returned[0]


def _is_patched() -> bool:
    monkey = sys.modules.get("gevent.monkey")
    return monkey is not None and bool(monkey.is_module_patched("socket"))


def _main_hub(hub: Any) -> Any:
    """The hub of the process; each native thread of a pool has its own."""
    return hub if hub.main_hub else None


def _pool(hub: Any, name: str) -> Any:
    """The threads of this process, begun after the fork."""
    from gevent.threadpool import ThreadPool

    pid = os.getpid()
    if (pid, name) not in _pools:
        for other in [known for known in _pools if known[0] != pid]:
            del _pools[other]
        _pools[pid, name] = ThreadPool(POOLS[name], hub=hub)
    return _pools[pid, name]
