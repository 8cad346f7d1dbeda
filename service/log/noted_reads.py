"""Records what an answer is made from, so that a cache can check later whether it still holds.

The records are made where the log and the read models are read, so code that answers need not
think of them. They belong to the greenlet or thread that began them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final


@dataclass(slots=True)
class Reads:
    """What was read: `keys` of the log's store, and whether the lists were.

    `tables` is true if lists of any kind were read, `names` if only the players' names were looked
    up there. `lag` is how far the lists were said to be behind. `is_sure` is false if something was
    unavailable, so that a better answer may soon be possible.
    """

    keys: set[str] = field(default_factory=set)
    tables: bool = False
    names: bool = False
    lag: int | None = None
    is_sure: bool = True


_current: Final[ContextVar[Reads | None]] = ContextVar("reads", default=None)


@contextmanager
def note_reads() -> Iterator[Reads]:
    """Record what is read in this context."""
    reads = Reads()
    token = _current.set(reads)
    try:
        yield reads
    finally:
        _current.reset(token)


def note_keys(keys: Iterable[str]) -> None:
    """Record keys of the log's store that are read."""
    reads = _current.get()
    if reads is not None:
        reads.keys.update(keys)


def note_tables() -> None:
    """Record that the read models are queried."""
    reads = _current.get()
    if reads is not None:
        reads.tables = True


@contextmanager
def note_names() -> Iterator[None]:
    """Record that in this context only the players' names are looked up in the read models."""
    reads = _current.get()
    if reads is None:
        yield
        return
    tables = reads.tables
    try:
        yield
    finally:
        reads.tables, reads.names = tables, True


def note_doubt() -> None:
    """Record that something is unavailable, so that the answer must not be kept."""
    reads = _current.get()
    if reads is not None:
        reads.is_sure = False


@contextmanager
def note_lag() -> Iterator[Reads]:
    """Record only `lag` in this context: what is read to find how far lists lag does not count."""
    outer = _current.get()
    counting = Reads()
    token = _current.set(counting)
    try:
        yield counting
    finally:
        _current.reset(token)
        if outer is not None:
            outer.lag = counting.lag
