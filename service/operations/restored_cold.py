"""Restores archived games, feeds and uploads from a place for backups."""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from service.archive.feed_segment import unpack_chunk
from service.archive.segment import BadEntry
from service.log.feed_range import parse_position
from service.log.values import StreamId
from service.operations.archived_streams import ArchivedStreams
from service.operations.backup import Progress, list_pointer_values
from service.operations.backup_file import Line
from service.operations.backup_imports import RestoredImports
from service.operations.backup_place import Backup, BackupPlace
from service.operations.restored_feeds import RestoredFeeds


@contextmanager
def fetch_log(place: BackupPlace, backup: Backup) -> Iterator[Path]:
    """The file of a backup's log, with its digest verified, for as long as the context lasts.

    Raises DamagedBackup, also if any object of the backup is missing.
    """
    place.check_parts(backup, place.list_objects())
    with tempfile.NamedTemporaryFile(prefix="movelog-") as file:
        place.copy_out(backup.log, file)
        yield Path(file.name)


class RestoredColdPart:
    """Restores what a backup's index names. Raises DamagedBackup and what `Archive.put` raises."""

    def __init__(self, place: BackupPlace, backup: Backup) -> None:
        self._place = place
        self._backup = backup

    def restore(
        self,
        hot: Collection[StreamId],
        archived: ArchivedStreams,
        feeds: RestoredFeeds,
        imports: RestoredImports,
        progress: Progress,
    ) -> int:
        """Restore all of it; returns how many streams it has that are not in `hot`."""
        lines = list(self._place.read_index(self._backup))
        ends: dict[int, str] = {}
        streams = set[StreamId]()
        for done, line in enumerate(lines, 1):
            parts = list(map(tuple, line["objects"]))
            if "feed" in line:
                feeds.add(None, self._read_chunk(line, ends))
            elif "import" in line:
                at = 0
                for part in parts:
                    data = self._place.get(part)
                    piece = {"import": line["import"], "name": line["name"], "at": at}
                    imports.restore_piece(piece | {"data": base64.b64encode(data).decode()})
                    at += len(data)
            else:
                segment, *sealed = (self._place.get(part) for part in parts)
                streams.update(archived.add_segment(segment, sealed[0] if sealed else None, hot))
            progress(done, len(lines))
        return len(streams)

    def _read_chunk(self, line: Mapping[str, Any], ends: dict[int, str]) -> Line:
        """A chunk of a feed as a line of a backup; chunks may overlap."""
        ((digest, _),) = line["objects"]
        packed = self._place.get_range(digest, line["start"], line["length"])
        try:
            chunk = unpack_chunk(packed)
        except BadEntry as error:
            raise self._place.refuse((digest, line["length"]), str(error)) from error
        end = ends.get(chunk.partition)
        ends[chunk.partition] = chunk.last
        pointers = [
            list_pointer_values(pointer)
            for pointer in chunk.pointers
            if end is None or parse_position(pointer.position) > parse_position(end)
        ]
        return {"feed": chunk.partition, "pointers": pointers, "archived": True}
