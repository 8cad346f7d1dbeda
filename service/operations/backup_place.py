"""A place for backups: a folder or a bucket where they share what they have in common.

    objects/ab/<sha256>     the objects of backups, by digest; never changed
    backups/<name>.json     a backup, written last: when and from what it was made, and the digests
                            of its log and of its index

The log is a backup file (`backup_file`) without what was archived and uploaded. The index is
gzipped lines of JSON that name the objects of these (`backup_cold`): each line has `objects`, a
list of digests with their sizes.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Final, TypeAlias
from urllib.parse import unquote, urlsplit

from service.operations.errors import DamagedBackup, NoBackup
from service.storage.errors import ObjectMissing
from service.storage.object_reader import open_object
from service.storage.objects import ObjectStore

FORMAT: Final = "movelog-backup-place/1"
OBJECTS: Final = "objects"
BACKUPS: Final = "backups"
PIECE: Final = 1 << 20
"""The number of bytes that are read at a time."""

Part: TypeAlias = tuple[str, int]
"""The digest of an object, and its size in bytes."""
Progress = Callable[[int, int], None]
"""Called with the number of objects done and of all objects."""


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup in a place.

    `service` is the fingerprint of its service's secret, `made_at` is when it was begun. `objects`
    and `bytes` are the numbers of its objects and bytes, `new_bytes` of those that it added.
    """

    name: str
    service: str
    made_at: str
    streams: int
    log: Part
    index: Part
    objects: int
    bytes: int
    new_bytes: int


class BackupPlace:
    """The backups at a URL. Every method raises ObjectsAway."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.folder = _find_folder(url)
        self.objects = ObjectStore(url)

    def make(self) -> None:
        """Create the folder, if it is one, so that only its owner can read what is put there."""
        if self.folder is not None:
            for folder in (self.folder, self.folder / OBJECTS, self.folder / BACKUPS):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def list(self) -> list[Backup]:
        """The backups, oldest first. Raises DamagedBackup."""
        names = sorted(found.name for found in self.objects.list(BACKUPS))
        return [self._read_record(name) for name in names if name.endswith(".json")]

    def find(self, name: str | None) -> Backup:
        """The backup with this name, or the newest. Raises NoBackup and DamagedBackup."""
        if name is None:
            if not (known := self.list()):
                raise NoBackup(self.url)
            return known[-1]
        try:
            return self._read_record(_name_record(name))
        except ObjectMissing:
            raise NoBackup(self.url, name) from None

    def list_objects(self) -> dict[str, int]:
        """The digest of every object in the place, and its size."""
        return {found.name.rpartition("/")[2]: found.size for found in self.objects.list(OBJECTS)}

    def put(self, digest: str, content: bytes | IO[bytes]) -> None:
        """Store an object with this digest."""
        self.objects.put(_name_object(digest), content)

    def note(self, backup: Backup) -> None:
        """Record a backup of what was put: from now on it exists."""
        text = json.dumps({"format": FORMAT, **asdict(backup)}, indent=1)
        self.objects.put(_name_record(backup.name), text.encode() + b"\n")

    def get(self, part: Part) -> bytes:
        """The bytes of an object. Raises DamagedBackup if they are not what was put."""
        with suppress(ObjectMissing):
            content = self.objects.get(_name_object(part[0]))
            if sha256(content).hexdigest() == part[0]:
                return content
        raise self._refuse(part, "it is missing or has changed since it was written")

    def get_range(self, digest: str, start: int, length: int) -> bytes:
        """Bytes of an object, unchecked. Raises DamagedBackup if it is missing."""
        try:
            return self.objects.get_range(_name_object(digest), start, length)
        except ObjectMissing:
            raise self._refuse((digest, 0), "it is missing") from None

    def copy_out(self, part: Part, file: IO[bytes]) -> None:
        """Write an object into a file, however large it is. Raises DamagedBackup."""
        digest = sha256()
        try:
            with open_object(self.objects, _name_object(part[0])) as stream:
                while data := stream.read(PIECE):
                    digest.update(data)
                    file.write(data)
        except ObjectMissing:
            raise self._refuse(part, "it is missing") from None
        if digest.hexdigest() != part[0]:
            raise self._refuse(part, "it has changed since it was written")
        file.flush()

    def read_index(self, backup: Backup) -> Iterator[dict[str, Any]]:
        """The lines of a backup's index. Raises DamagedBackup."""
        try:
            for line in gzip.decompress(self.get(backup.index)).splitlines():
                yield json.loads(line)
        except (OSError, EOFError, zlib.error, ValueError) as error:
            raise self._refuse(backup.index, "it is not an index") from error

    def list_parts(self, backup: Backup) -> dict[str, int]:
        """All objects of a backup, with their sizes. Raises DamagedBackup."""
        parts: dict[str, int] = dict([backup.log, backup.index])
        for line in self.read_index(backup):
            parts |= dict(line["objects"])
        return parts

    def check_parts(self, backup: Backup, there: Mapping[str, int]) -> None:
        """Raise DamagedBackup unless all objects of a backup are there with the right sizes."""
        for digest, size in self.list_parts(backup).items():
            if there.get(digest) != size:
                known = "missing" if digest not in there else "of the wrong size"
                raise self._refuse((digest, size), f"it is {known}")

    def verify(self, backups: Collection[Backup], progress: Progress) -> int:
        """Read all objects of these backups and recompute their digests; returns how many.

        Raises DamagedBackup for the first object that is missing or has changed.
        """
        parts: dict[str, int] = {}
        for backup in backups:
            parts |= self.list_parts(backup)
        for done, part in enumerate(parts.items(), 1):
            with open("/dev/null", "wb") as nothing:
                self.copy_out(part, nothing)
            progress(done, len(parts))
        return len(parts)

    def prune(self, keep: int) -> tuple[int, int, int]:
        """Remove all backups but the newest `keep`, and the objects that none of those has.

        Returns how many backups, objects and bytes are gone. If interrupted, it can be started
        again. Nobody else may write meanwhile. Raises DamagedBackup before anything is changed.
        """
        backups = self.list()
        kept, old = backups[-keep:], backups[:-keep]
        needed: set[str] = set()
        for backup in kept:
            needed |= self.list_parts(backup).keys()
        for backup in old:
            self.objects.delete(_name_record(backup.name))
        gone = {d: size for d, size in self.list_objects().items() if d not in needed}
        for digest in gone:
            self.objects.delete(_name_object(digest))
        return len(old), len(gone), sum(gone.values())

    def _read_record(self, name: str) -> Backup:
        try:
            stored = json.loads(self.objects.get(name))
            form = stored.pop("format")
            if form != FORMAT:
                raise DamagedBackup(self._path(name), f"it is not in the format {FORMAT}")
            log, index = stored.pop("log"), stored.pop("index")
            return Backup(log=tuple(log), index=tuple(index), **stored)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise DamagedBackup(self._path(name), "it is not what was written") from error

    def _refuse(self, part: Part, reason: str) -> DamagedBackup:
        return DamagedBackup(self._path(_name_object(part[0])), reason)

    def _path(self, name: str) -> Path:
        return Path(self.url if self.folder is None else self.folder) / name


def find_url(place: str) -> str | None:
    """The URL of a place that somebody names; None if it is a file.

    A place is a URL, an existing folder, or a path that ends with a slash.
    """
    if "://" in place:
        return place
    path = Path(place)
    return path.resolve().as_uri() if place.endswith("/") or path.is_dir() else None


def _find_folder(url: str) -> Path | None:
    parts = urlsplit(url)
    return Path(unquote(parts.path)) if parts.scheme == "file" else None


def _name_object(digest: str) -> str:
    return f"{OBJECTS}/{digest[:2]}/{digest}"


def _name_record(name: str) -> str:
    return f"{BACKUPS}/{name}.json"
