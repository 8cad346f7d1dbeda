"""The hash chain of a stream: each event's public part carries the digest of the one before it.

The public part of an event is a JSON object of these members:

    at        when it was appended, ISO 8601 in UTC with milliseconds
    by        who caused it
    data      the event's public fields
    previous  the digest of the public part before it, 64 zeros for a stream's first
    stream    the stream's name, `game:<id>`
    type      the event's stored name
    version   its number in the stream, from 1

Its digest is the SHA-256, in lowercase hex, of its canonical JSON: members sorted by name at every
depth, no blanks, no unnecessary escapes, UTF-8.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final

from service.log.codec import public_json
from service.log.values import Append, Event, Recorded, StoredEvent, StreamId

_encode: Final = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
).encode


def canonical(value: object) -> bytes:
    """The canonical JSON of a value.

    >>> canonical({"b": 1, "a": ["é", None]}).decode()
    '{"a":["é",null],"b":1}'
    """
    return _encode(value).encode()


def digest(data: bytes) -> str:
    """The SHA-256 of some bytes in lowercase hex."""
    return sha256(data).hexdigest()


def when(at: int) -> str:
    """Milliseconds since 1970 as ISO 8601 in UTC.

    >>> when(1)
    '1970-01-01T00:00:00.001+00:00'
    """
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds")


def public_part(stream: StreamId, entry: Recorded) -> dict[str, Any]:
    """The part of an event that everybody may see, and that the chain covers."""
    return {
        "version": entry.version,
        "type": entry.event.stored_name,
        "at": when(entry.at),
        "by": entry.by,
        "data": public_json(entry.event),
        "previous": entry.previous,
        "stream": str(stream),
    }


def link(stream: StreamId, entry: Recorded) -> str:
    """The digest of an event's public part."""
    return digest(canonical(public_part(stream, entry)))


def link_stored(stream: StreamId, entry: StoredEvent) -> str:
    """The digest of the public part of an event as it is stored."""
    public = {
        "version": entry.version,
        "type": entry.stored_name,
        "at": when(entry.at),
        "by": entry.by,
        "data": json.loads(entry.data),
        "previous": entry.previous,
        "stream": str(stream),
    }
    return digest(canonical(public))


def chain_events(
    stream: StreamId, before: int, events: Sequence[Event], at: int, by: str, head: str
) -> list[Recorded]:
    """Events as they will be in a stream after its first `before` events, whose last is `head`."""
    entries = []
    for version, event in enumerate(events, before + 1):
        entry = Recorded(version, event, at, by, head)
        head = link(stream, entry)
        entries.append(Recorded(version, event, at, by, entry.previous, head))
    return entries


def list_entries(request: Append, head: str) -> Sequence[Recorded]:
    """The events of a request as they will be in the log after the event with digest `head`."""
    if request.chained is not None:
        return request.chained
    stream, before = request.stream, request.expected
    return chain_events(stream, before, request.events, request.at, request.by, head)
