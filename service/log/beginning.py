"""The first events of a stream, appended without folding a state from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from service.log.chain import chain_events
from service.log.entity import PrivateParts
from service.log.values import GENESIS, Append, Event, StreamId


@dataclass(frozen=True, slots=True)
class Beginning:
    """A new stream's first events, and what is kept beside it."""

    stream: StreamId
    events: Sequence[Event]
    attributes: Mapping[str, str]


def make_first_append(
    beginning: Beginning, at: int, by: str, private: PrivateParts | None
) -> Append:
    """Return the append of a stream's first events, made at time `at` and caused by `by`.

    `private` seals the events' private fields, None if they have none. No audience is named, since
    nobody waits for news of what was over long ago.
    """
    stream = beginning.stream
    recorded = chain_events(stream, 0, beginning.events, at, by, GENESIS)
    sealed = {} if private is None else private.seal(stream, recorded)
    return Append(
        stream=stream,
        expected=0,
        events=beginning.events,
        at=at,
        by=by,
        head=GENESIS,
        attributes={**beginning.attributes, **sealed},
        chained=recorded,
    )
