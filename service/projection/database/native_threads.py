"""Calls that block, made in native threads where a gevent loop must go on."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, Final, Generic, TypeVar

T = TypeVar("T")

THREADS: Final = 8
"""Calls that run at a time in one process; others wait for their turn."""

_pools: dict[int, Any] = {}


def call_natively(call: Callable[[], T]) -> T:
    """What `call` returns or raises; under gevent the other greenlets go on meanwhile.

    Such a call must not use what gevent has patched: no socket of Redis, no lock of a greenlet.
    """
    if not _is_patched():
        return call()
    from gevent import get_hub

    hub = get_hub()
    if hub is not _main_hub(hub):
        return call()
    outcome: _Outcome[T] = _pool(hub).apply(partial(_Outcome, call))
    return outcome.unwrap()


class _Outcome(Generic[T]):
    """What a call has returned or raised; gevent would print what a thread raises."""

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
    """The hub of the process; a native thread of a pool has one of its own."""
    return hub if hub.main_hub else None


def _pool(hub: Any) -> Any:
    """The threads of this process, begun after the fork."""
    from gevent.threadpool import ThreadPool

    pid = os.getpid()
    if pid not in _pools:
        _pools.clear()
        _pools[pid] = ThreadPool(THREADS, hub=hub)
    return _pools[pid]
