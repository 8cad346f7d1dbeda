"""Archives the archived streams of a backup again when it is restored."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import uuid4

from service.archive.archive import Archive
from service.archive.archiver import SIZE, STREAMS
from service.archive.frozen_stream import FrozenStream
from service.archive.redis_feeds import RedisFeeds
from service.archive.redis_tier import RedisTier
from service.archive.restored_segments import note_restored
from service.composition.service import now
from service.game import repository as games
from service.log.values import GENESIS, StoredEvent, StreamId
from service.operations.backup_file import Line


class ArchivedStreams:
    """Takes lines of a backup and makes segments from them, or puts segments back.

    Raises what `Archive.put` raises.
    """

    def __init__(self, tier: RedisTier, archive: Archive) -> None:
        self._tier = tier
        self._archive = archive
        self._streams: list[FrozenStream] = []
        self._size = 0
        self._is_used = False
        self._log = RedisFeeds(tier.log).identify_log()
        self._segments: list[str] = []
        """The digests of the segments that were put back as they are in the backup."""
        # A directory of another log must not be read with this one.
        archive.directory.clear()

    def add(self, line: Line) -> None:
        """Add a stream."""
        self._streams.append(read_stream(line))
        self._size += sum(len(values[1]) for values in line["entries"])
        if len(self._streams) >= STREAMS or self._size >= SIZE:
            self._put()

    def add_segment(
        self, content: bytes, sealed: bytes | None, others: Collection[StreamId]
    ) -> list[StreamId]:
        """Add a segment except for the streams `others`, which the store has; returns the rest."""
        self._is_used = True
        digest, streams = self._archive.restore_segment(content, sealed, others)
        self._segments.append(digest)
        return streams

    def finish(self) -> None:
        """Archive the rest, and let the store know that there is an archive."""
        self._put()
        if self._is_used:
            note_restored(self._archive.objects, self._log, self._segments)
            self._tier.note_directory(self._archive.directory, anew=True)
            self._tier.set_fences(games.KIND, uuid4().hex)

    def _put(self) -> None:
        if self._streams:
            self._is_used = True
            self._archive.put(self._streams, self._log, now())
        self._streams, self._size = [], 0


def read_stream(line: Line) -> FrozenStream:
    """The stream in a line; a backup's lines have been checked before."""
    kind, _, id = line["stream"].partition(":")
    entries: list[Any] = line["entries"]
    previous = [GENESIS, *(values[4] for values in entries)]
    events = [
        StoredEvent(version, name, data, int(at), by, previous[version - 1])
        for version, (name, data, at, by, _) in enumerate(entries, 1)
    ]
    stream = StreamId(kind, id)
    return FrozenStream(stream, events, previous[-1], line["receipts"], line["aside"])
