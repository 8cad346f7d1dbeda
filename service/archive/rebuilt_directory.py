"""Builds the archive's directory again from the object store.

After a restore, the object store may also have segments of the log that this one has replaced. This
log's own segments name it. It may also have streams in the segments that it was restored with, and
in those of earlier versions, which name no log. Such a stream counts if it is as this log's feed
says, and neither Redis nor a segment of its own has it: then nobody has changed it since.
"""

from __future__ import annotations

from collections.abc import Callable

from service.archive.archive import Archive
from service.archive.feed_versions import find_versions
from service.archive.older_streams import OlderStreams, open_older_streams
from service.archive.redis_feeds import RedisFeeds
from service.archive.restored_segments import read_restored
from service.archive.unnamed import SEGMENTS
from service.log.redis import RedisEventLog

Progress = Callable[[int, int], None]


class RebuiltDirectory:
    """Notes the segments of a log in its archive's directory, which may be empty.

    Raises ObjectsAway, DirectoryAway, and DamagedSegment or ObjectMissing for what the object store
    has lost; OSError if there is no room for temporary files.
    """

    def __init__(self, log: RedisEventLog, archive: Archive) -> None:
        self._log = log
        self._archive = archive
        self._id = RedisFeeds(log).identify_log()

    def build(self, progress: Progress) -> int:
        """Note all segments of this log; returns how many there are."""
        # The feeds first: streams are compared with them.
        noted = self._archive.feeds.make_directory(self._id, progress)
        with open_older_streams() as older:
            own = self._note_own(older, progress)
            self._drop_own(older, own)
            find_versions(self._log, self._archive.feeds, older)
            return noted + len(own) + self._note_unchanged(older)

    def _note_own(self, older: OlderStreams, progress: Progress) -> set[str]:
        """Note the segments that name this log; returns their digests.

        Adds to `older` what others may have of it.
        """
        restored = read_restored(self._archive.objects, self._id)
        own = set[str]()
        found = {one.name for one in self._archive.objects.list(SEGMENTS)}
        names = sorted(found - self._archive.directory.list_condemned())
        for done, name in enumerate(names, 1):
            digest = name.rpartition("/")[2]
            row, entries, log = self._archive.examine(digest)
            if log == self._id:
                self._archive.directory.add(row, entries)
                own.add(digest)
            elif log is None or restored is None or digest in restored:
                older.add(row, entries)
            progress(done, len(names))
        return own

    def _drop_own(self, older: OlderStreams, own: set[str]) -> None:
        """Drop the streams that this log's own segments, which are noted, have."""
        for page in older.read_pages():
            places = self._archive.directory.find(page)
            older.drop(s for s, place in places.items() if place.segment.digest in own)

    def _note_unchanged(self, older: OlderStreams) -> int:
        """Note the streams in `older` that nobody has changed since; returns how many segments."""
        noted = 0
        for row, unchanged in older.read_unchanged():
            self._archive.directory.add(row, unchanged)
            noted += 1
        return noted
