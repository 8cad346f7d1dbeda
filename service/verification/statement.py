"""What the service signs, and the forms in which exports carry it.

A statement is a JSON object with a `type`. The end of a whole export of events is one:

    {"count":57,"head":"<digest>","key":"<id>","signature":"<base64url>","stream":"game:<id>",
     "type":"signed-head/1"}

The signature is over the canonical JSON of the object without `signature`. A record's is over
`{"hash":"<RecordHash>","key":"<id>","type":"signed-record/1"}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

HEAD: Final = "signed-head/1"
RECORD: Final = "signed-record/1"
PARTIAL: Final = "partial-export/1"
"""The type of the line that ends an export of a part of a log; it is not signed."""


def head_statement(stream: str, count: int, head: str) -> Mapping[str, object]:
    """That a stream has so many events, of which `head` is the last one's digest."""
    return {"type": HEAD, "stream": stream, "count": count, "head": head}


def record_statement(hash: str) -> Mapping[str, object]:
    """That a record with this digest was exported."""
    return {"type": RECORD, "hash": hash}


def partial_line(stream: str, after: int, count: int) -> Mapping[str, object]:
    """That these are but `count` events behind version `after`."""
    return {"type": PARTIAL, "stream": stream, "after": after, "count": count}
