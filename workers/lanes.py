"""Which queues this process takes work from. A forked job has no other place to know it from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from service.jobs.queue import Lane

DUTIES: Final = {
    "all": tuple(Lane),
    "service": (Lane.SERVICE,),
    "analyses": (Lane.PERSON, Lane.BATCH),
}
"""What a worker may be there for, and from which queues it takes its work, in their order."""

NICENESS: Final = {"all": 0, "service": 0, "analyses": 10}
"""How much a worker gives way on a busy machine: a search takes all the time that it is given."""

_mine: Sequence[Lane] = DUTIES["all"]


def take(lanes: Sequence[Lane]) -> None:
    """Take work from these queues, from the first that has some."""
    global _mine
    _mine = lanes


def mine() -> Sequence[Lane]:
    """The queues this process takes work from."""
    return _mine
