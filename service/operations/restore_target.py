"""What a backup would be restored over: it must not be what another service still uses."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from hashlib import file_digest, sha256
from itertools import chain
from pathlib import Path

import redis

from service.archive.archive import Archive
from service.archive.collector import OWNER, find_owner
from service.archive.unnamed import FOLDERS
from service.composition.log_store import is_apart
from service.log.redis_exchange import LogClient
from service.operations.backup_errors import ObjectsInUse, OtherKeysThere, RemainsThere
from service.operations.backup_file import read_lines
from service.operations.lost_log import list_remains
from service.settings import Settings


@dataclass(frozen=True, slots=True)
class Target:
    """What a backup is restored into: the store, the one that keeps the log, and the archive."""

    settings: Settings
    client: redis.Redis
    keeping: LogClient
    archive: Archive

    @property
    def is_apart(self) -> bool:
        """Whether the log is kept in another store than everything else."""
        return is_apart(self.keeping, self.client)


def identify_restore(settings: Settings, path: Path) -> str:
    """A digest of a backup's file and of the places that it is restored into."""
    with path.open("rb") as file:
        backup = file_digest(file, "sha256").hexdigest()
    places = (settings.data_dir, settings.database_url, settings.objects_url)
    return sha256("\n".join(map(str, (backup, *places))).encode()).hexdigest()


def refuse_used_target(
    settings: Settings, archive: Archive, path: Path, *, is_known: bool, own_objects: bool
) -> None:
    """Raise OtherKeysThere, RemainsThere or ObjectsInUse; changes nothing.

    Lists, directory and objects may be replaced if an interrupted restore has put them there
    (`is_known`), or if the operator says that the service which had them is gone (`own_objects`).
    """
    for file in settings.key_files:
        if file.exists() and _is_other(file, path):
            raise OtherKeysThere(file)
    if is_known or own_objects:
        return
    if not _has_same_keys(settings) and (left := list_remains(settings)):
        raise RemainsThere(" and ".join(left), settings.data_dir)
    refuse_used_objects(archive)


def refuse_used_objects(archive: Archive) -> None:
    """Raise ObjectsInUse if the object store has archived games of another directory."""
    objects, directory = archive.objects, archive.directory
    if (owner := find_owner(objects)) is not None:
        is_own = owner == directory.identity()
    else:
        # It is noted when unneeded objects are first looked for.
        is_empty = not any(next(objects.list(folder), None) for folder in FOLDERS)
        is_own = is_empty or directory.count()[1] > 0
    if not is_own:
        raise ObjectsInUse(objects.url)


def take_over_objects(archive: Archive) -> None:
    """Make this directory the one that removes objects."""
    archive.objects.put(OWNER, archive.directory.identity().encode())


def _is_other(file: Path, path: Path) -> bool:
    """Whether a backup has this key file, and never with what is in it now.

    A backup has it twice if the key was rotated meanwhile.
    """
    kept = (
        base64.b64decode(line["data"]) for line in read_lines(path) if line.get("file") == file.name
    )
    first = next(kept, None)
    return first is not None and file.read_bytes() not in chain((first,), kept)


def _has_same_keys(settings: Settings) -> bool:
    """Whether the data directory is known to be of the service that the backup is of.

    Its key files, and keys that are given, have been compared with the backup's.
    """
    if settings.given_keys is not None:
        return settings.database_url is None
    return settings.secret_file.exists()
