"""The script that appends: its text and its arguments."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Final

from service.log.chain import list_entries
from service.log.codec import Codec
from service.log.redis_alarms import name_alarms
from service.log.redis_forms import encode_receipt, name_feed, name_fence
from service.log.values import Append

APPEND: Final = files("service.log").joinpath("append.lua").read_text()


def build_call(
    request: Append,
    codec: Codec,
    key: str,
    partition: int,
    head: str,
    fence: str,
    news: str,
    durable: bool,
) -> list[str | int | bytes]:
    """The keys and arguments of the script, their number first.

    `key` is that of the stream, `head` the digest of its newest event. `fence` is the value that
    was read before the stream was looked for in the archive. `news` is the channel to notify, ""
    for none. `durable` says that the append waits for replicas.
    """
    receipt = request.receipt
    call: list[str | int | bytes] = [
        6,
        key,
        f"{key}:receipts",
        f"{key}:aside",
        name_feed(partition),
        name_alarms(partition),
        name_fence(partition, request.stream.kind),
        request.expected,
        receipt.key if receipt else "",
        encode_receipt(receipt, request) if receipt else "",
        str(request.stream),
        " ".join(request.audience),
        request.at,
        request.by,
        bytes.fromhex(head),
        request.unless,
        "" if request.alarm is None else request.alarm,
        fence,
        news,
        "1" if durable else "",
        *_list_fields(request.required),
        len(request.events),
    ]
    for entry in list_entries(request, head):
        event = entry.event
        call += [event.stored_name, codec.encode(event), bytes.fromhex(entry.hash)]
    call += _list_fields(request.attributes)
    return call


def _list_fields(attributes: Mapping[str, str | None]) -> list[str | int | bytes]:
    """The number of attributes, then each one's name, whether it has a value, and the value."""
    fields: list[str | int | bytes] = [len(attributes)]
    for field, value in attributes.items():
        fields += [field, "0" if value is None else "1", value or ""]
    return fields
