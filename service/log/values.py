"""What goes into the log and comes out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Final

GENESIS: Final = "0" * 64
"""Takes the place of the previous digest in a stream's first event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Base of all events: frozen dataclasses whose fields are JSON values.

    `stored_name` is the log's name for the class, for example `action-played/1`. It never changes.
    A new form of an event is a new class with a new name, and the old one stays readable.
    """

    stored_name: ClassVar[str]
    private: ClassVar[tuple[str, ...]] = ()
    """Fields that the log does not show; they are sealed beside the stream, None if not known."""


@dataclass(frozen=True, slots=True)
class StreamId:
    """One entity's stream: its kind (`game`, `player`) and the entity's id."""

    kind: str
    id: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.id}"


@dataclass(frozen=True, slots=True)
class Recorded:
    """An event in the log: its number in the stream from 1, who caused it, and when.

    `at` is in milliseconds since 1970 UTC, `by` a player id or a process of the service.
    `previous` and `hash` are the digests of the event before it and its own, in hex
    (`service.log.chain`); an event that is not in a log has none.
    """

    version: int
    event: Event
    at: int
    by: str
    previous: str = GENESIS
    hash: str = ""


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """An undecoded event in the log: `data` is the JSON of its public fields.

    The other fields are as in Recorded. Events of a newer version of the service can be read in
    this form.
    """

    version: int
    stored_name: str
    data: str
    at: int
    by: str
    previous: str


@dataclass(frozen=True, slots=True)
class LogPage:
    """Consecutive events of a stream; `more` says whether others may follow them.

    A page without events is false.
    """

    events: Sequence[Recorded]
    more: bool

    def __bool__(self) -> bool:
        return bool(self.events)


@dataclass(frozen=True, slots=True)
class StreamRange:
    """Up to `limit` events of a stream after version `after`."""

    stream: StreamId
    after: int
    limit: int


@dataclass(frozen=True, slots=True)
class Receipt:
    """What is remembered about a request that had an idempotency key.

    `key` is the digest of principal, method, path and key; `fingerprint` the keyed hash of the
    request's body; `first` and `last` are the versions of the events it made, `status` its HTTP
    status. The answer itself is rebuilt from the log.
    """

    key: str
    fingerprint: str
    status: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Append:
    """Events to append to one stream in one atomic step.

    `expected` is the version the stream must have, and `head` the digest of the event there
    (GENESIS in an empty stream): the new events are chained to it. With None the log looks it up,
    which costs one more round trip. `attributes` are values kept beside the stream, not in it
    (names, token hashes): they are set, or removed if None. `audience` are the players whom the
    events concern; the feed's pointer names them. `chained` are the same events as made by
    `service.log.chain.chain_events` from `head`, if the caller already has them. `unless` names an
    attribute beside the stream that forbids the append (`service.log.claims`); with "" nothing
    does. `required` are the values that attributes must have, None for one that must be missing.
    `alarm` is when the stream has to be looked at (`service.log.alarms`), 0 for never; with None
    its alarm stays as it is.
    """

    stream: StreamId
    expected: int
    events: Sequence[Event]
    at: int
    by: str
    head: str | None = None
    receipt: Receipt | None = None
    attributes: Mapping[str, str | None] = field(default_factory=dict)
    audience: Sequence[str] = ()
    chained: Sequence[Recorded] | None = None
    unless: str = ""
    required: Mapping[str, str | None] = field(default_factory=dict)
    alarm: int | None = None


@dataclass(frozen=True, slots=True)
class Pointer:
    """One entry of a partition's feed: these versions of this stream were appended.

    `trace` is the `traceparent` of the append if that is traced (`service.tracing`), else "".
    """

    position: str
    stream: StreamId
    first: int
    last: int
    audience: tuple[str, ...]
    trace: str = ""
