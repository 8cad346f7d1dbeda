"""What an answer was made from, noted while it is made: whoever keeps it asks later if that holds.

Notes are taken where the log and the read models are read, so nobody who answers has to think of
them. They belong to the greenlet or thread that began them.
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

    `tables` is true for lists of any kind, `names` where who the players are was looked up there
    alone. `lag` is how far the lists were said to be behind. `is_sure` is false where something
    was away, so that the answer is better soon.
    """

    keys: set[str] = field(default_factory=set)
    tables: bool = False
    names: bool = False
    lag: int | None = None
    is_sure: bool = True


_current: Final[ContextVar[Reads | None]] = ContextVar("reads", default=None)


@contextmanager
def note_reads() -> Iterator[Reads]:
    """Note what is read from now on."""
    reads = Reads()
    token = _current.set(reads)
    try:
        yield reads
    finally:
        _current.reset(token)


def note_keys(keys: Iterable[str]) -> None:
    """Keys of the log's store that are read."""
    reads = _current.get()
    if reads is not None:
        reads.keys.update(keys)


def note_tables() -> None:
    """The read models are asked, whatever for."""
    reads = _current.get()
    if reads is not None:
        reads.tables = True


@contextmanager
def note_names() -> Iterator[None]:
    """Who the players are is looked up, and nothing else of the read models."""
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
    """Something is away: what is told in its place must not be kept."""
    reads = _current.get()
    if reads is not None:
        reads.is_sure = False


@contextmanager
def note_lag() -> Iterator[Reads]:
    """How far the lists are behind is counted, for `lag`; what is read for that does not matter."""
    outer = _current.get()
    counting = Reads()
    token = _current.set(counting)
    try:
        yield counting
    finally:
        _current.reset(token)
        if outer is not None:
            outer.lag = counting.lag
