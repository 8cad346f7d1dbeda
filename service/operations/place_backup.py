"""Backing up into a place that has earlier backups: only what it lacks is copied."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from service.imports.files import ORIGINAL
from service.operations.backup import Progress, Source, copy_service, open_source
from service.operations.backup_cold import SharedColdPart
from service.operations.backup_errors import (
    BackupBusy,
    BackupOfAnother,
    DamagedBackup,
    NotAlone,
    NotPruned,
)
from service.operations.backup_file import PART, pack_archive
from service.operations.backup_place import Backup, BackupPlace, Part, name_backup
from service.operations.place_lock import PlaceLock, hold_place
from service.secrets.key_source import compute_fingerprint
from service.secrets.service_secret import read_service_secret
from service.settings import Settings
from service.storage.durable_files import name_in_errors

Step = Callable[[str], None]


def back_up_into(
    settings: Settings,
    place: BackupPlace,
    progress: Progress,
    keep: int | None = None,
    step: Step = lambda done: None,
) -> tuple[Backup, tuple[int, int, int]]:
    """Make a backup in a place, and remove all but the newest `keep`.

    Returns it, and what `BackupPlace.prune` returns. The backup exists once its record does, which
    is written last; if interrupted, the earlier backups are as they were. Raises what `back_up`
    raises, BackupOfAnother and BackupBusy, and NotPruned and NotAlone after making the backup.
    """
    with (
        open_source(settings) as source,
        hold_place(source.log.redis.client, place.url) as lock,
    ):
        place.make()
        made = _copy(source, place, progress, step)
        if not lock.is_held:
            _refuse_missing_parts(place, made)
        lock.check()
        place.note(made)
        step("noted")
        return made, (0, 0, 0) if keep is None else _prune(place, made, keep, lock)


def _prune(place: BackupPlace, made: Backup, keep: int, lock: PlaceLock) -> tuple[int, int, int]:
    if not lock.is_held:
        raise NotAlone(made.name)
    lock.check()
    try:
        return place.prune(keep)
    except DamagedBackup as error:
        raise NotPruned(made.name, str(error)) from error


def _refuse_missing_parts(place: BackupPlace, made: Backup) -> None:
    """Raise BackupBusy if another process has removed what was copied."""
    try:
        place.check_parts(made, place.list_objects())
    except DamagedBackup as error:
        raise BackupBusy(place.url) from error


def _copy(source: Source, place: BackupPlace, progress: Progress, step: Step) -> Backup:
    service = compute_fingerprint(read_service_secret(source.keys.secret))
    newest = next(reversed(place.list()), None)
    if newest is not None and newest.service != service:
        raise BackupOfAnother(place.url)
    marked = place.list_marked()
    cold = SharedColdPart(source, place, *_list_copied(place, newest, marked))
    begun = datetime.now(UTC)
    # Without a name: it contains keys, and disappears with the process.
    folder = Path(tempfile.gettempdir()) if place.folder is None else place.folder
    with name_in_errors(folder), tempfile.TemporaryFile(dir=folder) as file:
        about = source.describe() | {"trimmed": cold.feed_starts}
        with pack_archive(file, PART, about) as archive:
            streams = copy_service(source, archive, cold, progress)
        step("copied")
        log = cold.put_file(file)
    index = cold.put_index()
    place.unmark(marked & cold.objects.keys())
    step("index")
    return Backup(
        name=name_backup(begun, newest),
        service=service,
        made_at=begun.isoformat(timespec="seconds"),
        streams=streams,
        log=log,
        index=index,
        objects=len(cold.objects),
        bytes=sum(cold.objects.values()),
        new_bytes=cold.new_bytes,
    )


def _list_copied(
    place: BackupPlace, newest: Backup | None, marked: Collection[str]
) -> tuple[dict[str, int], dict[str, list[Part]]]:
    """The objects that need not be copied again, with their sizes, and the originals of imports.

    If the index of the newest backup is damaged, everything is copied again.
    """
    try:
        originals = {} if newest is None else _list_originals(place.read_index(newest))
    except DamagedBackup:
        return {}, {}
    there = place.list_objects().items()
    return {digest: size for digest, size in there if digest not in marked}, originals


def _list_originals(lines: Iterator[dict[str, Any]]) -> dict[str, list[Part]]:
    originals = (line for line in lines if line.get("name") == ORIGINAL)
    return {line["import"]: list(map(tuple, line["objects"])) for line in originals}
