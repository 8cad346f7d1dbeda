"""How versions, receipts, pointers and the append script's answers are written in Redis."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from service.errors import WrongExpectedVersion
from service.log.errors import AlreadyDone, Barred, MaybeArchived
from service.log.values import GENESIS, Append, Pointer, Receipt, StoredEvent, StreamId

SHORT_KEY: Final = 16
"""Characters of a receipt's key that the archive keeps (`service/log/append.lua`)."""


def decode_answer(
    request: Append, answer: Any
) -> int | WrongExpectedVersion | AlreadyDone | Barred | MaybeArchived:
    """Return the result of an append, as `append_behind` does, from the script's answer."""
    status, value = answer
    if status == b"fenced":
        return MaybeArchived(str(request.stream))
    if status == b"appended":
        return int(value)
    if status == b"conflict":
        return WrongExpectedVersion(str(request.stream), request.expected, int(value))
    if status == b"barred":
        return Barred(str(request.stream), value.decode())
    assert request.receipt is not None
    return AlreadyDone(decode_receipt(request.receipt.key, value))


@cache
def name_feed(partition: int) -> str:
    """Return the key of a partition's feed."""
    return f"movelog:{{p{partition}}}:feed"


def name_news(partition: int) -> str:
    """Return the channel on which a cluster announces that a partition's feed has grown."""
    return f"movelog:{{p{partition}}}:news"


def name_confirmed(partition: int) -> str:
    """Return the key that is written to see whether replicas have a partition's feed."""
    return f"movelog:{{p{partition}}}:confirmed"


def name_fence(partition: int, kind: str) -> str:
    """Return the key that is replaced when streams of a partition and kind are archived."""
    return f"movelog:{{p{partition}}}:fence-{kind}"


def decode_version(id: bytes) -> int:
    """Return the version in the id of a stream's entry, `<version>-0`."""
    return int(id.split(b"-")[0])


def shorten_key(key: str) -> str:
    """Return the key that a receipt has in the archive, and in Redis when restored from there."""
    return key[:SHORT_KEY]


def encode_receipt(receipt: Receipt, request: Append) -> str:
    """Return the JSON of a request's receipt, with the versions of the request's events."""
    # It is appended at the expected version or not at all, so the versions are known beforehand.
    made = {"first": request.expected + 1, "last": request.expected + len(request.events)}
    values = {"fingerprint": receipt.fingerprint, "status": receipt.status, **made}
    return json.dumps(values, separators=(",", ":"))


def decode_receipt(key: str, stored: bytes) -> Receipt:
    """Return the receipt with this key from its JSON."""
    return Receipt(key=key, **json.loads(stored))


def decode_pointers(entries: Sequence[tuple[bytes, Sequence[bytes]]]) -> list[Pointer]:
    """Return the pointers of a feed's entries, whose fields are in the append script's order."""
    found = []
    for id, (_, name, _, first, _, last, _, audience, *traced) in entries:
        kind, _, own = name.decode().partition(":")
        stream, players = StreamId(kind, own), tuple(audience.decode().split())
        trace = traced[1].decode() if traced else ""
        found.append(Pointer(id.decode(), stream, int(first), int(last), players, trace))
    return found


def decode_stored(
    entries: Sequence[tuple[bytes, Sequence[bytes]]], after: int
) -> list[StoredEvent]:
    """Return a stream's entries undecoded; if `after` > 0, the first is the event at that version.

    Their fields are in the append script's order.
    """
    previous = GENESIS
    if after and entries:
        previous, entries = entries[0][1][9].hex(), entries[1:]
    found = []
    for id, (_, name, _, data, _, at, _, by, _, own) in entries:
        version = decode_version(id)
        event = StoredEvent(version, name.decode(), data.decode(), int(at), by.decode(), previous)
        found.append(event)
        previous = own.hex()
    return found
