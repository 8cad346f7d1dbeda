"""A stream as it goes into the archive and comes back, with the data kept beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from service.log.chain import link_stored
from service.log.redis_forms import shorten_key
from service.log.values import GENESIS, StoredEvent, StreamId

FINGERPRINT = 8
"""Characters kept of a receipt's fingerprint: one in 4 billion others is mistaken for it."""


@dataclass(frozen=True, slots=True)
class FrozenStream:
    """A stream's events with `head`, the digest of the last one, its receipts and attributes.

    `receipts` are as they stand in Redis, JSON by key.
    """

    stream: StreamId
    events: Sequence[StoredEvent]
    head: str
    receipts: Mapping[str, str] = field(default_factory=dict)
    attributes: Mapping[str, str] = field(default_factory=dict)

    @property
    def version(self) -> int:
        """How many events there are."""
        return len(self.events)

    @property
    def digests(self) -> list[str]:
        """The digest of each event."""
        return [*(event.previous for event in self.events[1:]), self.head]


def list_digests(stream: StreamId, events: Sequence[StoredEvent]) -> list[str]:
    """The digest of each event, GENESIS first, computed only from the events."""
    digests = [GENESIS]
    for event in events:
        linked = StoredEvent(
            event.version, event.stored_name, event.data, event.at, event.by, digests[-1]
        )
        digests.append(link_stored(stream, linked))
    return digests


def shorten_receipts(receipts: Mapping[str, str]) -> dict[str, str]:
    """Receipts with their keys and fingerprints shortened as they are kept."""
    return {shorten_key(key): _shorten(json.loads(value)) for key, value in receipts.items()}


def _shorten(values: Mapping[str, Any]) -> str:
    shortened = {**values, "fingerprint": values["fingerprint"][:FINGERPRINT]}
    return json.dumps(shortened, separators=(",", ":"))
