"""Which queues this process takes work from. A forked job has no other place to know it from."""

from __future__ import annotations

from collections.abc import Sequence

from service.jobs.duties import Lane

_mine: Sequence[Lane] = tuple(Lane)


def take(lanes: Sequence[Lane]) -> None:
    """Take work from these queues, from the first that has some."""
    global _mine
    _mine = lanes


def mine() -> Sequence[Lane]:
    """The queues this process takes work from."""
    return _mine
