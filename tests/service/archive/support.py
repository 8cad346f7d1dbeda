"""Archives for tests, and a log all of whose games are archived at once."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

from service.archive.archive import Archive
from service.archive.archiver import Archiver
from service.archive.directory import open_directory
from service.archive.tiered import Answer, TieredEventLog
from service.log.values import Append
from service.storage.objects import ObjectStore

TIMES = itertools.count(1)


def open_archive(folder: Path) -> Archive:
    """An archive below a folder."""
    return Archive(ObjectStore((folder / "objects").as_uri()), open_directory(folder, None))


def archive_all(log: TieredEventLog) -> int:
    """Archive every game there is; returns how many streams left Redis."""
    archiver = Archiver(log.tier, log.archive, lambda: next(TIMES))
    return sum(done.streams for done in archiver.run(log.redis.streams("game")))


class EagerlyArchivedLog(TieredEventLog):
    """A log whose games are archived after every append."""

    def append_each(self, requests: Sequence[Append]) -> list[Answer]:
        """Append, and archive all games."""
        try:
            return super().append_each(requests)
        finally:
            archive_all(self)
