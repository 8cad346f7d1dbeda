"""Archives for tests, and a log that archives all of its games after every append."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

from service.archive.archive import Archive
from service.archive.archiver import Archiver
from service.archive.directory import open_directory
from service.archive.feed_trimmer import FeedTrimmer
from service.archive.rebuilt_directory import RebuiltDirectory
from service.archive.tiered import Answer, TieredEventLog
from service.log.redis import RedisEventLog
from service.log.values import Append
from service.storage.objects import ObjectStore

TIMES = itertools.count(1)
NEVER = 1 << 60
"""A time later than every append."""


def open_archive(folder: Path) -> Archive:
    """An archive in a folder."""
    return Archive(ObjectStore((folder / "objects").as_uri()), open_directory(folder, None))


def archive_all(log: TieredEventLog) -> int:
    """Archive every game; return how many streams left Redis."""
    archiver = Archiver(log.tier, log.archive, lambda: next(TIMES))
    return sum(done.streams for done in archiver.run(log.redis.streams("game")))


def trim_all(log: TieredEventLog, least: int = 1) -> int:
    """Trim each feed to its newest pointer; return how many pointers left Redis."""
    trimmer = FeedTrimmer(log.tier, log.archive, lambda: next(TIMES), least=least)
    return sum(done.pointers for done in trimmer.run(log.feed_positions(), NEVER))


def make_directory(log: TieredEventLog) -> int:
    """Rebuild the directory of a log; return how many segments it has."""
    return rebuild_directory(log.redis, log.archive)


def rebuild_directory(log: RedisEventLog, archive: Archive) -> int:
    """Rebuild the directory of an archive; return how many segments of the log it has."""
    return RebuiltDirectory(log, archive).build(lambda done, total: None)


class EagerlyArchivedLog(TieredEventLog):
    """A log whose games are archived and whose feeds are trimmed after every append."""

    def append_each(self, requests: Sequence[Append]) -> list[Answer]:
        """Append, archive all games and trim the feeds."""
        try:
            return super().append_each(requests)
        finally:
            archive_all(self)
            trim_all(self)
