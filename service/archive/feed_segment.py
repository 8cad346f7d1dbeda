"""Feed segments: pointers that were trimmed off the partitions' feeds, many to an object.

    8 bytes    MAGIC
    16 bytes   the log's id: feeds of two logs are never mixed
    8 bytes    when it was made, in milliseconds since 1970 UTC
    for each chunk: 4 bytes, its length, then the chunk

A chunk is one frame of zstd with a checksum, of JSON: pointers of one partition that follow each
other, in columns. Numbers have the highest byte first.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, Final, TypeVar

import zstandard

from service.archive.segment import LARGEST, BadEntry
from service.log.feed_range import parse_position
from service.log.values import Pointer, StreamId

T = TypeVar("T", bound=Hashable)

MAGIC: Final = b"MVLGFED1"
LOG: Final = 16
NUMBER: Final = 4
START: Final = len(MAGIC) + LOG + 8
"""Where the first chunk's length stands."""
LEVEL: Final = 19


@dataclass(frozen=True, slots=True)
class FeedChunk:
    """Pointers of a partition: the next ones after the position `after`, at least one."""

    partition: int
    after: str
    pointers: Sequence[Pointer]

    @property
    def last(self) -> str:
        """The position of its newest pointer."""
        return self.pointers[-1].position


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """Where a chunk is in its segment, in bytes, and what is known without reading it."""

    partition: int
    after: str
    last: str
    pointers: int
    start: int
    length: int


def pack_feed(chunks: Sequence[FeedChunk], log: str, at: int) -> tuple[bytes, list[FeedEntry]]:
    """A segment of these chunks of the log with this id, made at `at`, and its entries."""
    parts = [MAGIC, bytes.fromhex(log), at.to_bytes(8, "big")]
    start = START
    entries = []
    for chunk in chunks:
        packed = _pack(chunk)
        parts += [len(packed).to_bytes(NUMBER, "big"), packed]
        start += NUMBER
        entries.append(_place(chunk, start, len(packed)))
        start += len(packed)
    return b"".join(parts), entries


def unpack_feed(content: bytes) -> Iterator[tuple[FeedEntry, FeedChunk]]:
    """Yield every chunk of a segment. Raises BadEntry."""
    read_log(content)
    start = START
    while start < len(content):
        size = int.from_bytes(content[start : start + NUMBER], "big")
        start += NUMBER
        chunk = unpack_chunk(content[start : start + size])
        yield _place(chunk, start, size), chunk
        start += size


def unpack_chunk(packed: bytes) -> FeedChunk:
    """The pointers of a chunk. Raises BadEntry."""
    try:
        text = zstandard.ZstdDecompressor().decompress(packed, max_output_size=LARGEST)
        about = json.loads(text)
        pointers = list(_read_pointers(about))
        if len(pointers) != about["pointers"] or not pointers:
            raise BadEntry("it has the wrong number of pointers")
        return FeedChunk(int(about["partition"]), str(about["after"]), pointers)
    except (zstandard.ZstdError, ValueError, KeyError, IndexError, TypeError) as error:
        raise BadEntry(str(error)) from error


def read_log(content: bytes) -> str:
    """The id of the log that a segment belongs to. Raises BadEntry."""
    if content[: len(MAGIC)] != MAGIC or len(content) < START:
        raise BadEntry("it does not begin as a segment of feeds")
    return content[len(MAGIC) : len(MAGIC) + LOG].hex()


def read_time(content: bytes) -> int:
    """When a segment was made, in milliseconds since 1970 UTC."""
    return int.from_bytes(content[START - 8 : START], "big")


def _place(chunk: FeedChunk, start: int, length: int) -> FeedEntry:
    count = len(chunk.pointers)
    return FeedEntry(chunk.partition, chunk.after, chunk.last, count, start, length)


def _pack(chunk: FeedChunk) -> bytes:
    pointers = chunk.pointers
    places = [parse_position(pointer.position) for pointer in pointers]
    times = [time for time, _ in places]
    streams, of = _number([str(pointer.stream) for pointer in pointers])
    audiences, told = _number([" ".join(pointer.audience) for pointer in pointers])
    columns = {
        "partition": chunk.partition,
        "after": chunk.after,
        "pointers": len(pointers),
        "times": [times[0], *(later - earlier for earlier, later in pairwise(times))],
        # Two appends in one millisecond are rare.
        "numbers": {str(i): number for i, (_, number) in enumerate(places) if number},
        "streams": streams,
        "of": of,
        "audiences": audiences,
        "told": told,
        "first": [pointer.first for pointer in pointers],
        "more": [pointer.last - pointer.first for pointer in pointers],
    }
    text = json.dumps(columns, ensure_ascii=False, separators=(",", ":")).encode()
    return zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).compress(text)


def _read_pointers(about: Any) -> Iterator[Pointer]:
    streams = [StreamId(*name.split(":", 1)) for name in about["streams"]]
    audiences = [tuple(text.split()) for text in about["audiences"]]
    times, numbers = accumulate(about["times"]), about["numbers"]
    columns = zip(times, about["of"], about["told"], about["first"], about["more"], strict=True)
    for index, (time, stream, told, first, more) in enumerate(columns):
        position = f"{time}-{numbers.get(str(index), 0)}"
        yield Pointer(position, streams[stream], first, first + more, audiences[told])


def _number(values: Sequence[T]) -> tuple[list[T], list[int]]:
    """The distinct values, and the index of each value among them."""
    numbers: dict[T, int] = {}
    indexes = [numbers.setdefault(value, len(numbers)) for value in values]
    return list(numbers), indexes
