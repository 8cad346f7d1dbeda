"""Work that is spread over processes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from typing import TypeVar

from service.selfplay.parent_watch import end_with_parent

A = TypeVar("A")
B = TypeVar("B")


def spread(function: Callable[[A], B], items: Iterable[A], processes: int) -> Iterator[B]:
    """The results of a module's function for each item, in order; one process means this one.

    The other processes end with this one, however that ends.

    >>> list(spread(len, ["one", "three"], 1))
    [3, 5]
    """
    if processes == 1:
        yield from map(function, items)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, context, end_with_parent) as pool:
        yield from pool.map(function, items)
