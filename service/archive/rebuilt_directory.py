"""Builds the archive's directory again from the object store.

After a restore, the object store may also have segments of the log that this one has replaced. This
log's own segments name it. It may also have streams in the segments that it was restored with, and
in those of earlier versions, which name no log. Such a stream counts if it is as this log's feed
says, and neither Redis nor a segment of its own has it: then nobody has changed it since.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TypeAlias

from service.archive.archive import Archive
from service.archive.directory import SegmentRow
from service.archive.feed_versions import find_versions
from service.archive.redis_feeds import RedisFeeds
from service.archive.restored_segments import read_restored
from service.archive.segment import Entry
from service.archive.unnamed import SEGMENTS
from service.log.redis import RedisEventLog
from service.log.values import StreamId

Examined: TypeAlias = tuple[SegmentRow, Sequence[Entry]]
Progress = Callable[[int, int], None]


class RebuiltDirectory:
    """Notes the segments of a log in its archive's directory, which may be empty.

    Raises ObjectsAway, DirectoryAway, and DamagedSegment or ObjectMissing for what the object store
    has lost.
    """

    def __init__(self, log: RedisEventLog, archive: Archive) -> None:
        self._log = log
        self._archive = archive
        self._id = RedisFeeds(log).identify_log()

    def build(self, progress: Progress) -> int:
        """Note all segments of this log; returns how many there are."""
        # The feeds first: streams are compared with them.
        noted = self._archive.feeds.make_directory(self._id, progress)
        own, older = self._examine(progress)
        for row, entries in own:
            self._archive.directory.add(row, entries)
        return noted + len(own) + self._note_unchanged(own, older)

    def _examine(self, progress: Progress) -> tuple[list[Examined], list[Examined]]:
        """The segments that name this log, and others that it may have streams in."""
        restored = read_restored(self._archive.objects, self._id)
        own, older = list[Examined](), list[Examined]()
        found = {one.name for one in self._archive.objects.list(SEGMENTS)}
        names = sorted(found - self._archive.directory.list_condemned())
        for done, name in enumerate(names, 1):
            digest = name.rpartition("/")[2]
            row, entries, log = self._archive.examine(digest)
            if log == self._id:
                own.append((row, entries))
            elif log is None or restored is None or digest in restored:
                older.append((row, entries))
            progress(done, len(names))
        return own, older

    def _note_unchanged(self, own: Sequence[Examined], older: Sequence[Examined]) -> int:
        """Note the streams in `older` that nobody has changed since; returns how many segments."""
        wanted = _list_streams(older) - _list_streams(own)
        versions = find_versions(self._log, self._archive.feeds, wanted)
        noted = 0
        for row, entries in older:
            if unchanged := [e for e in entries if versions.get(e.stream) == e.version]:
                self._archive.directory.add(row, unchanged)
                noted += 1
        return noted


def _list_streams(segments: Collection[Examined]) -> set[StreamId]:
    return {entry.stream for _, entries in segments for entry in entries}
