"""The statements that the service signs, and their forms in exports.

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
    """Make the statement that a stream has `count` events, the last with the digest `head`."""
    return {"type": HEAD, "stream": stream, "count": count, "head": head}


def record_statement(hash: str) -> Mapping[str, object]:
    """Make the statement that a record with this digest was exported."""
    return {"type": RECORD, "hash": hash}


def partial_line(stream: str, after: int, count: int) -> Mapping[str, object]:
    """Make the last line of a partial export: `count` events after version `after`."""
    return {"type": PARTIAL, "stream": stream, "after": after, "count": count}
