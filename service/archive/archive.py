"""The archive's segments and its directory: streams are written together and read one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Final

from service.archive.directory import Directory, Place, SegmentRow
from service.archive.errors import DamagedSegment
from service.archive.feed_archive import FeedArchive
from service.archive.frozen_stream import FrozenStream
from service.archive.sealed_objects import SealedObjects
from service.archive.segment import (
    START,
    BadEntry,
    Entry,
    pack_segment,
    read_dictionary_length,
    read_log,
    read_time,
    unpack_entry,
    unpack_segment,
)
from service.archive.steps import Step
from service.archive.unnamed import SEGMENTS, name_object
from service.bounded_cache import BoundedCache
from service.log.values import StreamId
from service.storage.objects import ObjectStore

TOGETHER: Final = 8
"""The number of streams wanted from a segment from which on the whole segment is read."""
DICTIONARIES: Final = 64
STREAMS: Final = 64
"""Dictionaries and streams that a process keeps in memory; they never change."""


class Archive:
    """Streams in an object store, found through a directory. Safe for threads and greenlets.

    Every method raises ObjectsAway, DirectoryAway, and DamagedSegment or ObjectMissing for what the
    object store has lost.
    """

    def __init__(self, objects: ObjectStore, directory: Directory) -> None:
        self.objects = objects
        self.directory = directory
        self.feeds = FeedArchive(objects, directory)
        self.sealed = SealedObjects(objects, directory)
        self._dictionaries = BoundedCache[str, bytes](DICTIONARIES)
        self._streams = BoundedCache[tuple[str, int], FrozenStream](STREAMS)

    def find(self, streams: Sequence[StreamId]) -> dict[StreamId, Place]:
        """The places of those of these streams that were ever archived."""
        return self.directory.find(streams)

    def load(self, places: Sequence[Place]) -> dict[StreamId, FrozenStream]:
        """The streams in these places; their digests are recomputed."""
        found: dict[StreamId, FrozenStream] = {}
        by_segment: dict[str, list[Place]] = {}
        for place in places:
            by_segment.setdefault(place.segment.digest, []).append(place)
        for mates in by_segment.values():
            whole = len(mates) >= TOGETHER
            loaded = self._load_whole(mates) if whole else map(self._load_one, mates)
            for place, frozen in zip(mates, loaded, strict=True):
                if frozen.head != place.entry.head:
                    raise _damaged(place.segment.digest, f"{frozen.stream} has a different digest")
                found[frozen.stream] = frozen
        return found

    def attributes(self, place: Place) -> Mapping[str, str]:
        """The attributes of the stream in this place."""
        if not place.entry.sealed:
            return {}
        return self.sealed.read(place.segment.digest).get(str(place.entry.stream), {})

    def put(
        self, streams: Sequence[FrozenStream], log: str, at: int, step: Step = lambda done: None
    ) -> int:
        """Write a segment of these streams of a log, copied at `at` or later; returns its bytes.

        When it returns, the segment has been read back and compared, and its place is noted
        durably. An interrupted call can be repeated.
        """
        segment = pack_segment(streams, log, at)
        digest = sha256(segment.content).hexdigest()
        attributes = {str(one.stream): one.attributes for one in streams if one.attributes}
        if attributes:
            self.sealed.put(digest, attributes)
            step("attributes")
        if not self.objects.put_new(_name(digest), segment.content):
            # Left by an interrupted process, perhaps in the middle of a power cut.
            self.objects.put(_name(digest), segment.content)
        step("segment")
        read = [replace(f, attributes={}) for _, f in self._unpack(digest, self._read(digest))]
        if read != [replace(frozen, attributes={}) for frozen in streams]:
            raise _damaged(digest, "it is not what was written")
        step("read back")
        size = len(segment.content)
        self.directory.add(SegmentRow(digest, size, segment.dictionary, at), segment.entries)
        step("noted")
        return size

    def examine(self, digest: str) -> tuple[SegmentRow, list[Entry], str | None]:
        """A segment's row and entries, recomputed, and the id of the log that it names, if any."""
        content = self._read(digest)
        entries = [entry for entry, _ in self._unpack(digest, content)]
        return _describe(digest, content), entries, read_log(content)

    def read_segment(self, digest: str) -> bytes:
        """The bytes of a segment, whose digest is recomputed."""
        return self._read(digest)

    def restore_segment(
        self, content: bytes, sealed: bytes | None, others: Collection[StreamId]
    ) -> tuple[str, list[StreamId]]:
        """Put back what `read_segment` and `SealedObjects.read_packed` returned.

        Returns the digest that the segment has now, and the streams noted.
        The streams in `others` are not noted. Attributes that are in the object store already are
        never replaced: another service may have sealed them with a key of its own.
        """
        if sealed is not None:
            content = self._put_beside(content, sealed)
        digest = sha256(content).hexdigest()
        self.objects.put(_name(digest), content)
        return digest, self._note(digest, self._read(digest), others)

    def _put_beside(self, content: bytes, sealed: bytes) -> bytes:
        """Put the attributes of a segment into the object store.

        Returns the segment that they belong to: it bears a later time, and so has another name, if
        there are other attributes under the name of this one.
        """
        digest, at = sha256(content).hexdigest(), read_time(content)
        while not self.sealed.put_packed(digest, sealed):
            at += 1
            attributes = self.sealed.unpack(digest, sealed)
            streams = [
                replace(frozen, attributes=attributes.get(str(frozen.stream), {}))
                for _, frozen in self._unpack(digest, content)
            ]
            content = pack_segment(streams, read_log(content), at).content
            digest = sha256(content).hexdigest()
        return content

    def _note(self, digest: str, content: bytes, others: Collection[StreamId]) -> list[StreamId]:
        """Note a segment and its streams except `others`."""
        entries = [e for e, _ in self._unpack(digest, content) if e.stream not in others]
        if entries:
            self.directory.add(_describe(digest, content), entries)
        return [entry.stream for entry in entries]

    def _load_one(self, place: Place) -> FrozenStream:
        digest, entry = place.segment.digest, place.entry
        known = self._streams.get((digest, entry.start))
        if known is None:
            dictionary = self._read_dictionary(place.segment)
            packed = self.objects.get_range(_name(digest), entry.start, entry.length)
            try:
                known = unpack_entry(packed, dictionary)
            except BadEntry as error:
                raise _damaged(digest, str(error)) from error
            self._streams.put((digest, entry.start), known)
        return known

    def _load_whole(self, places: Sequence[Place]) -> Iterator[FrozenStream]:
        digest = places[0].segment.digest
        found = {entry.start: f for entry, f in self._unpack(digest, self._read(digest))}
        return (found[place.entry.start] for place in places)

    def _read_dictionary(self, row: SegmentRow) -> bytes:
        known = self._dictionaries.get(row.digest)
        if known is None:
            known = self.objects.get_range(_name(row.digest), START, row.dictionary)
            self._dictionaries.put(row.digest, known)
        return known

    def _read(self, digest: str) -> bytes:
        content = self.objects.get(_name(digest))
        if sha256(content).hexdigest() != digest:
            raise _damaged(digest, "its digest differs")
        return content

    def _unpack(self, digest: str, content: bytes) -> Iterator[tuple[Entry, FrozenStream]]:
        try:
            yield from unpack_segment(content)
        except BadEntry as error:
            raise _damaged(digest, str(error)) from error


def _name(digest: str) -> str:
    return name_object(SEGMENTS, digest)


def _describe(digest: str, content: bytes) -> SegmentRow:
    return SegmentRow(digest, len(content), read_dictionary_length(content), read_time(content))


def _damaged(digest: str, reason: str) -> DamagedSegment:
    return DamagedSegment(_name(digest), reason)
