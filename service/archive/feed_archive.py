"""The trimmed parts of the partitions' feeds: segments in the object store, with a directory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final

from service.archive.directory import Directory
from service.archive.errors import DamagedSegment
from service.archive.feed_directory import FeedDirectory, FeedPlace
from service.archive.feed_segment import (
    FeedChunk,
    FeedEntry,
    pack_feed,
    read_log,
    read_time,
    unpack_chunk,
    unpack_feed,
)
from service.archive.segment import BadEntry
from service.archive.steps import Step
from service.archive.unnamed import FEEDS, name_object
from service.bounded_cache import BoundedCache
from service.log.feed_range import parse_position
from service.log.values import Pointer
from service.storage.objects import ObjectStore

TOGETHER: Final = 4
"""The number of chunks wanted from a segment from which on the whole segment is read."""
CHUNKS: Final = 128
"""Chunks that a process keeps in memory: two of each partition."""


class FeedArchive:
    """Chunks of feeds in an object store. Safe for threads and greenlets.

    Every method raises ObjectsAway, DirectoryAway, and DamagedSegment or ObjectMissing for what the
    object store has lost.
    """

    def __init__(self, objects: ObjectStore, directory: Directory) -> None:
        self.objects = objects
        self.directory = FeedDirectory(directory)
        self._chunks = BoundedCache[tuple[str, int], FeedChunk](CHUNKS)

    def read(self, after: Mapping[int, str]) -> dict[int, list[Pointer]]:
        """The next archived pointers beyond each of these positions, by partition.

        There may be more of them; a partition that has none left gets an empty list. Raises
        DamagedSegment if the directory lacks the first of them.
        """
        places = self.directory.find(after)
        found: dict[int, list[Pointer]] = {partition: [] for partition in after}
        for partition, chunk in self._load(places).items():
            here = parse_position(after[partition])
            if parse_position(chunk.after) > here:
                name = _name(places[partition].segment)
                raise DamagedSegment(name, f"nothing follows {after[partition]} in the feed")
            found[partition] = [p for p in chunk.pointers if parse_position(p.position) > here]
        return found

    def put(self, chunks: Sequence[FeedChunk], log: str, at: int, step: Step) -> int:
        """Write a segment of these chunks of a log, made at `at`; returns its bytes.

        When it returns, the segment has been read back and compared, and its place is noted
        durably. An interrupted call can be repeated.
        """
        content, entries = pack_feed(chunks, log, at)
        digest = sha256(content).hexdigest()
        if not self.objects.put_new(_name(digest), content):
            # Left by an interrupted process, perhaps in the middle of a power cut.
            self.objects.put(_name(digest), content)
        step("segment")
        if [chunk for _, chunk in self._unpack(digest, self._read(digest))] != list(chunks):
            raise _damaged(digest, "it is not what was written")
        step("read back")
        self.directory.add(digest, at, entries)
        step("noted")
        return len(content)

    def make_directory(self, log: str, progress: Callable[[int, int], None]) -> int:
        """Note all segments of a log again; returns how many there are."""
        found = {one.name for one in self.objects.list(FEEDS)}
        names = sorted(found - self.directory.directory.list_condemned())
        noted = 0
        for done, name in enumerate(names, 1):
            digest = name.rpartition("/")[2]
            content = self._read(digest)
            entries = [entry for entry, _ in self._unpack(digest, content)]
            # Segments of the log before a restore must not be mixed with those of this one.
            if read_log(content) == log:
                self.directory.add(digest, read_time(content), entries)
                noted += 1
            progress(done, len(names))
        return noted

    def read_segment(self, digest: str) -> bytes:
        """The bytes of a segment, whose digest is recomputed."""
        return self._read(digest)

    def _load(self, places: Mapping[int, FeedPlace]) -> dict[int, FeedChunk]:
        """The chunks in these places, by partition."""
        by_segment: dict[str, list[FeedEntry]] = {}
        found = {}
        for partition, place in places.items():
            known = self._chunks.get((place.segment, place.entry.start))
            if known is None:
                by_segment.setdefault(place.segment, []).append(place.entry)
            else:
                found[partition] = known
        for digest, entries in by_segment.items():
            load = self._load_whole if len(entries) >= TOGETHER else self._load_each
            for entry, chunk in zip(entries, load(digest, entries), strict=True):
                if (chunk.partition, chunk.last) != (entry.partition, entry.last):
                    raise _damaged(digest, f"another chunk is at {entry.start}")
                self._chunks.put((digest, entry.start), chunk)
                found[entry.partition] = chunk
        return found

    def _load_each(self, digest: str, entries: Sequence[FeedEntry]) -> Iterator[FeedChunk]:
        for entry in entries:
            packed = self.objects.get_range(_name(digest), entry.start, entry.length)
            try:
                yield unpack_chunk(packed)
            except BadEntry as error:
                raise _damaged(digest, str(error)) from error

    def _load_whole(self, digest: str, entries: Sequence[FeedEntry]) -> Iterator[FeedChunk]:
        found = {entry.start: chunk for entry, chunk in self._unpack(digest, self._read(digest))}
        return (found[entry.start] for entry in entries)

    def _read(self, digest: str) -> bytes:
        content = self.objects.get(_name(digest))
        if sha256(content).hexdigest() != digest:
            raise _damaged(digest, "its digest differs")
        return content

    def _unpack(self, digest: str, content: bytes) -> Iterator[tuple[FeedEntry, FeedChunk]]:
        try:
            yield from unpack_feed(content)
        except BadEntry as error:
            raise _damaged(digest, str(error)) from error


def _name(digest: str) -> str:
    return name_object(FEEDS, digest)


def _damaged(digest: str, reason: str) -> DamagedSegment:
    return DamagedSegment(_name(digest), reason)
