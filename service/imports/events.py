"""What can happen to an import, and to an illegal record that was kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from service.log.declarations import event
from service.log.values import Event

RECORD: Final = "record"
"""The kind of the streams that hold records kept as they were played."""


@event("import-begun/1")
class ImportBegun(Event):
    """A file was uploaded; `size` in bytes and `sha256` (hex) are as received, before unpacking.

    `packing` says how the file is packed.
    """

    mode: str
    size: int
    sha256: str
    packing: str


@event("import-committed/1")
class ImportCommitted(Event):
    """Every game of a strict import was found valid: from here on all of them are imported."""


@event("import-ended/1")
class ImportEnded(Event):
    """Nothing more is imported; `state` says how the import ended.

    `counts` is the number of games by verdict, as known when it was ended.
    """

    state: str
    counts: Mapping[str, int]
    reason: str = ""


@event("record-kept/1")
class RecordKept(Event):
    """An illegal record was kept as it was played.

    Its text, which may name people, is an attribute of the stream. `error` is what is wrong with
    it, as in the import's verdict.
    """

    source: str
    number: int
    error: Mapping[str, object]


EVENTS: Final[Mapping[str, type[Event]]] = {
    event.stored_name: event for event in (ImportBegun, ImportCommitted, ImportEnded, RecordKept)
}
