"""Segments: many streams in one object, each compressed with a dictionary that all share.

    8 bytes    MAGIC
    8 bytes    when it was made, in milliseconds since 1970 UTC
    4 bytes    the length of the dictionary, then the dictionary
    for each stream: 4 bytes, the length of its entry, then the entry

An entry is one frame of zstd, of a line of JSON and a line for each event's data. It has only the
last digest: the others follow from the events. The first entry names the log that the segment was
made for; segments of earlier versions name none. Numbers have the highest byte first.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, Final

import zstandard

from service.archive.frozen_stream import FrozenStream, list_digests
from service.log.values import StoredEvent, StreamId

MAGIC: Final = b"MVLGSEG1"
NUMBER: Final = 4
START: Final = len(MAGIC) + 8 + NUMBER
"""Where the dictionary begins."""
LEVEL: Final = 19
DICTIONARY: Final = 32 << 10
"""The most bytes of a dictionary; its training data must be TIMES times as large."""
TIMES: Final = 8
LARGEST: Final = 1 << 28
"""The most bytes of an unpacked entry; one that claims more is damaged."""


class BadEntry(Exception):
    """Bytes that are not an entry, or not a segment."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Where a stream's entry is in its segment, in bytes, and what is known without reading it.

    `sealed` says that there are attributes beside the stream.
    """

    stream: StreamId
    start: int
    length: int
    version: int
    head: str
    sealed: bool


@dataclass(frozen=True, slots=True)
class Segment:
    """The bytes of a segment, its entries, and the length of its dictionary."""

    content: bytes
    dictionary: int
    entries: Sequence[Entry]


def pack_segment(streams: Sequence[FrozenStream], log: str | None, at: int) -> Segment:
    """A segment of these streams of the log with this id, made at `at`."""
    texts = [_write_entry(frozen, log if frozen is streams[0] else None) for frozen in streams]
    dictionary = _train(texts)
    compressor = zstandard.ZstdCompressor(
        level=LEVEL,
        dict_data=_load(dictionary),
        write_checksum=False,
        write_dict_id=False,
    )
    parts = [MAGIC, at.to_bytes(8, "big"), len(dictionary).to_bytes(NUMBER, "big"), dictionary]
    start = sum(map(len, parts))
    entries = []
    for frozen, text in zip(streams, texts, strict=True):
        packed = compressor.compress(text)
        parts += [len(packed).to_bytes(NUMBER, "big"), packed]
        start += NUMBER
        entries.append(_place(frozen, start, len(packed)))
        start += len(packed)
    return Segment(b"".join(parts), len(dictionary), entries)


def unpack_segment(content: bytes) -> Iterator[tuple[Entry, FrozenStream]]:
    """Yield every stream of a segment, without attributes. Raises BadEntry."""
    length = read_dictionary_length(content)
    dictionary = content[START : START + length]
    start = START + length
    while start < len(content):
        size = int.from_bytes(content[start : start + NUMBER], "big")
        start += NUMBER
        frozen, sealed = _read_entry(content[start : start + size], dictionary)
        yield Entry(frozen.stream, start, size, frozen.version, frozen.head, sealed), frozen
        start += size


def read_log(content: bytes) -> str | None:
    """The id of the log that a segment names; None if it was made by an earlier version.

    Raises BadEntry.
    """
    length = read_dictionary_length(content)
    start = START + length + NUMBER
    size = int.from_bytes(content[start - NUMBER : start], "big")
    line, _ = _unpack_lines(content[start : start + size], content[START : START + length])
    log = line.get("log")
    return None if log is None else str(log)


def unpack_entry(packed: bytes, dictionary: bytes) -> FrozenStream:
    """The stream of an entry, without attributes; its digests are recomputed. Raises BadEntry."""
    return _read_entry(packed, dictionary)[0]


def read_dictionary_length(content: bytes) -> int:
    """The length of a segment's dictionary. Raises BadEntry."""
    if content[: len(MAGIC)] != MAGIC:
        raise BadEntry("it does not begin as a segment")
    return int.from_bytes(content[START - NUMBER : START], "big")


def read_time(content: bytes) -> int:
    """When a segment was made, in milliseconds since 1970 UTC."""
    return int.from_bytes(content[len(MAGIC) : START - NUMBER], "big")


def _place(frozen: FrozenStream, start: int, length: int) -> Entry:
    sealed = bool(frozen.attributes)
    return Entry(frozen.stream, start, length, frozen.version, frozen.head, sealed)


def _train(texts: Sequence[bytes]) -> bytes:
    """A dictionary of what these texts have in common; empty if there are too few."""
    size = min(DICTIONARY, sum(map(len, texts)) // TIMES)
    try:
        return zstandard.train_dictionary(size, list(texts)).as_bytes()
    except (zstandard.ZstdError, ValueError):
        return b""


def _load(dictionary: bytes) -> zstandard.ZstdCompressionDict | None:
    return zstandard.ZstdCompressionDict(dictionary) if dictionary else None


def _write_entry(frozen: FrozenStream, log: str | None) -> bytes:
    """The line about a stream, and a line for each event; JSON has no line breaks inside."""
    names = list(dict.fromkeys(event.stored_name for event in frozen.events))
    people = list(dict.fromkeys(event.by for event in frozen.events))
    times = [event.at for event in frozen.events]
    about = {
        "stream": str(frozen.stream),
        "head": frozen.head,
        "names": names,
        "people": people,
        "name": [names.index(event.stored_name) for event in frozen.events],
        "by": [people.index(event.by) for event in frozen.events],
        "at": times[:1] + [later - earlier for earlier, later in pairwise(times)],
        "sealed": bool(frozen.attributes),
        **_write_receipts(frozen.receipts),
    }
    if log is not None:
        about["log"] = log
    line = json.dumps(about, ensure_ascii=False, separators=(",", ":"))
    return "\n".join([line, *(event.data for event in frozen.events)]).encode()


def _write_receipts(receipts: Mapping[str, str]) -> dict[str, Any]:
    """Receipts in columns, ordered by the events they belong to, so that most numbers are alike."""
    found = [(key, json.loads(value)) for key, value in receipts.items()]
    found.sort(key=lambda pair: (pair[1]["first"], pair[1]["last"], pair[0]))
    firsts = [values["first"] for _, values in found]
    return {
        "keys": " ".join(key for key, _ in found),
        "fingerprints": [values["fingerprint"] for _, values in found],
        "status": [values["status"] for _, values in found],
        "first": firsts[:1] + [later - earlier for earlier, later in pairwise(firsts)],
        "last": [values["last"] - values["first"] for _, values in found],
    }


def _read_entry(packed: bytes, dictionary: bytes) -> tuple[FrozenStream, bool]:
    """The stream of an entry, and whether it has attributes."""
    about, data = _unpack_lines(packed, dictionary)
    try:
        kind, _, id = about["stream"].partition(":")
        stream = StreamId(kind, id)
        events = _read_events(about, data)
        receipts = _read_receipts(about)
    except (ValueError, KeyError, IndexError, TypeError) as error:
        raise BadEntry(str(error)) from error
    digests = list_digests(stream, events)
    if digests[-1] != about["head"]:
        raise BadEntry(f"the events of {stream} do not make its digest")
    chained = [
        StoredEvent(e.version, e.stored_name, e.data, e.at, e.by, previous)
        for e, previous in zip(events, digests, strict=False)
    ]
    return FrozenStream(stream, chained, about["head"], receipts), bool(about["sealed"])


def _unpack_lines(packed: bytes, dictionary: bytes) -> tuple[dict[str, Any], list[str]]:
    """The line about a stream, read, and the line of each event. Raises BadEntry."""
    try:
        decompressor = zstandard.ZstdDecompressor(dict_data=_load(dictionary))
        text = decompressor.decompress(packed, max_output_size=LARGEST).decode()
        line, *data = text.split("\n")
        return dict(json.loads(line)), data
    except (zstandard.ZstdError, ValueError, TypeError) as error:
        raise BadEntry(str(error)) from error


def _read_events(about: Mapping[str, Any], data: Sequence[str]) -> list[StoredEvent]:
    columns = zip(about["name"], data, accumulate(about["at"]), about["by"], strict=True)
    return [
        StoredEvent(version, about["names"][name], text, at, about["people"][by], "")
        for version, (name, text, at, by) in enumerate(columns, 1)
    ]


def _read_receipts(about: Mapping[str, Any]) -> dict[str, str]:
    columns = zip(
        about["keys"].split(" ") if about["status"] else (),
        about["fingerprints"],
        about["status"],
        accumulate(about["first"]),
        about["last"],
        strict=True,
    )
    return {
        key: json.dumps(
            {"fingerprint": mark, "status": status, "first": first, "last": first + more},
            separators=(",", ":"),
        )
        for key, mark, status, first, more in columns
    }
