"""Events, requests and threads for the tests of the log."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import field
from typing import TypeVar

from service.log.claims import EVENTS as CLAIM_EVENTS
from service.log.codec import Codec
from service.log.declarations import event
from service.log.values import Append, Event, Receipt, StreamId

T = TypeVar("T")
GAME = StreamId("game", "a")
OTHER = StreamId("game", "b")


@event("noted/1")
class Noted(Event):
    """An event with a field of every kind."""

    text: str
    number: int | None = None
    texts: tuple[str, ...] = ()
    tags: Mapping[str, str] = field(default_factory=dict)


@event("forgotten/1")
class Forgotten(Event):
    """An event that a newer service wrote."""


CODEC = Codec({Noted.stored_name: Noted, **CLAIM_EVENTS})


def notes(*texts: str) -> list[Event]:
    """An event for each text."""
    return [Noted(text=text) for text in texts]


def request(
    events: Sequence[Event],
    expected: int = 0,
    stream: StreamId = GAME,
    *,
    receipt: Receipt | None = None,
    attributes: Mapping[str, str | None] | None = None,
    audience: Sequence[str] = (),
    by: str = "p1",
) -> Append:
    """An append at time 1000 + `expected`."""
    return Append(
        stream=stream,
        expected=expected,
        events=events,
        at=1000 + expected,
        by=by,
        receipt=receipt,
        attributes=attributes or {},
        audience=audience,
    )


def receipt(key: str, fingerprint: str = "f", status: int = 200) -> Receipt:
    """A receipt as a request brings it, whose versions are still unknown."""
    return Receipt(key, fingerprint, status, 0, 0)


def at_once(tasks: Sequence[Callable[[], T]]) -> list[T]:
    """Run all tasks at the same time; return their results in order."""
    with ThreadPoolExecutor(len(tasks)) as pool:
        return [future.result() for future in [pool.submit(task) for task in tasks]]
