"""Which queues this process takes work from. A forked job has no other place to know it from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from service.jobs.queue import Lane


@dataclass(frozen=True, slots=True)
class Duty:
    """What a worker is there for: the queues it takes its work from, in their order.

    `niceness` is how much it gives way on a busy machine: a search takes all it can have.
    """

    lanes: Sequence[Lane]
    niceness: int = 0


DUTIES: Final = {
    "all": Duty(tuple(Lane)),
    "service": Duty((Lane.SERVICE,)),
    "imports": Duty((Lane.IMPORTS,)),
    "analyses": Duty((Lane.PERSON, Lane.BATCH), niceness=10),
}
"""What a worker may be there for."""

_mine: Sequence[Lane] = DUTIES["all"].lanes


def take(lanes: Sequence[Lane]) -> None:
    """Take work from these queues, from the first that has some."""
    global _mine
    _mine = lanes


def mine() -> Sequence[Lane]:
    """The queues this process takes work from."""
    return _mine
