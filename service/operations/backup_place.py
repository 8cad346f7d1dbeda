"""A place for backups: a folder or a bucket where they share what they have in common.

    objects/ab/<sha256>     the objects of backups, by digest; never changed
    backups/<name>.json     a backup, written last: when and from what it was made, and the digests
                            of its log and of its index
    damaged/<sha256>        a mark for an object that was found damaged, until it is copied again

The log is a backup file (`backup_file`) without what was archived and uploaded. The index is
gzipped lines of JSON that name the objects of these (`backup_cold`): each line has `objects`, a
list of digests with their sizes.
"""

from __future__ import annotations

import gzip
import json
import secrets
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, TypeAlias
from urllib.parse import unquote, urlsplit

from service.operations.backup_errors import DamagedBackup, NoBackup
from service.storage.errors import ObjectMissing
from service.storage.object_reader import open_object
from service.storage.objects import ObjectStore

FORMAT: Final = "movelog-backup-place/1"
OBJECTS: Final = "objects"
BACKUPS: Final = "backups"
DAMAGED: Final = "damaged"
MOMENT: Final = "%Y%m%dT%H%M%S.%f"
"""The form of the time with which a backup's name begins."""
PIECE: Final = 1 << 20
"""The number of bytes that are read at a time."""

Part: TypeAlias = tuple[str, int]
"""The digest of an object, and its size in bytes."""
Progress = Callable[[int, int], None]
"""Called with the number of objects done and of all objects."""


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup in a place.

    Backups sort by their names as they were made. `service` is the fingerprint of its service's
    secret, `made_at` is when it was begun by the clock of that machine. `objects` and `bytes` are
    the numbers of its objects and bytes, `new_bytes` of those that it added.
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


class Records(NamedTuple):
    """The backups whose records can be read, oldest first, and the records that cannot."""

    backups: list[Backup]
    damaged: list[DamagedBackup]


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
        """The backups whose records can be read, oldest first."""
        return self.read_records().backups

    def read_records(self) -> Records:
        """Read the records of all backups."""
        records = Records([], [])
        for name in sorted(found.name for found in self.objects.list(BACKUPS)):
            if not name.endswith(".json"):
                continue
            # One that is missing was removed since it was listed.
            with suppress(ObjectMissing):
                try:
                    records.backups.append(self._read_record(name))
                except DamagedBackup as error:
                    records.damaged.append(error)
        return records

    def find(self, name: str | None) -> Backup:
        """The backup with this name, or the newest whose record can be read.

        Raises NoBackup, and DamagedBackup for a record that is named.
        """
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
        raise self.refuse(part, "it is missing or has changed since it was written")

    def get_range(self, digest: str, start: int, length: int) -> bytes:
        """Bytes of an object, unchecked. Raises DamagedBackup if it is missing."""
        try:
            return self.objects.get_range(_name_object(digest), start, length)
        except ObjectMissing:
            raise self.refuse((digest, 0), "it is missing") from None

    def copy_out(self, part: Part, file: IO[bytes]) -> None:
        """Write an object into a file, however large it is. Raises DamagedBackup."""
        digest = sha256()
        try:
            with open_object(self.objects, _name_object(part[0])) as stream:
                while data := stream.read(PIECE):
                    digest.update(data)
                    file.write(data)
        except ObjectMissing:
            raise self.refuse(part, "it is missing") from None
        if digest.hexdigest() != part[0]:
            raise self.refuse(part, "it has changed since it was written")
        file.flush()

    def read_index(self, backup: Backup) -> Iterator[dict[str, Any]]:
        """The lines of a backup's index. Raises DamagedBackup."""
        try:
            for line in gzip.decompress(self.get(backup.index)).splitlines():
                yield json.loads(line)
        except (OSError, EOFError, zlib.error, ValueError) as error:
            raise self.refuse(backup.index, "it is not an index") from error

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
                raise self.refuse((digest, size), f"it is {known}")

    def verify(
        self, backups: Collection[Backup], progress: Progress
    ) -> tuple[int, dict[str, DamagedBackup]]:
        """Read all objects of these backups and recompute their digests.

        Returns how many there are, and by digest those that are missing or have changed.
        """
        parts: dict[str, int] = {}
        damaged: dict[str, DamagedBackup] = {}
        for backup in backups:
            parts |= dict([backup.log, backup.index])
            try:
                parts |= self.list_parts(backup)
            except DamagedBackup as error:
                damaged[backup.index[0]] = error
        for done, part in enumerate(parts.items(), 1):
            try:
                with open("/dev/null", "wb") as nothing:
                    self.copy_out(part, nothing)
            except DamagedBackup as error:
                damaged[part[0]] = error
            progress(done, len(parts))
        return len(parts), damaged

    def is_damaged(self, backup: Backup, damaged: Collection[str]) -> bool:
        """Whether a backup needs one of these objects, or does not say what it needs."""
        try:
            return any(digest in damaged for digest in self.list_parts(backup))
        except DamagedBackup:
            return True

    def mark_damaged(self, digests: Iterable[str]) -> None:
        """Mark objects as damaged, so that the next backup copies them again."""
        for digest in digests:
            self.objects.put(f"{DAMAGED}/{digest}", b"")

    def list_marked(self) -> set[str]:
        """The digests of the objects that are marked as damaged."""
        return {found.name.rpartition("/")[2] for found in self.objects.list(DAMAGED)}

    def unmark(self, digests: Iterable[str]) -> None:
        """Remove the marks of objects that were copied again, or are gone."""
        for digest in digests:
            self.objects.delete(f"{DAMAGED}/{digest}")

    def prune(self, keep: int) -> tuple[int, int, int]:
        """Remove all backups but the newest `keep`, and the objects that none of those has.

        What killed processes left half-written is removed too, and counted as objects. Returns how
        many backups, objects and bytes are gone. If interrupted, it can be started again. Nobody
        else may write meanwhile. Raises DamagedBackup before anything is changed, also for a
        damaged record: nobody knows which objects its backup needs.
        """
        backups, damaged = self.read_records()
        for error in damaged:
            raise error
        kept, old = backups[-keep:], backups[:-keep]
        needed: set[str] = set()
        for backup in kept:
            needed |= self.list_parts(backup).keys()
        for backup in old:
            self.objects.delete(_name_record(backup.name))
        gone = {d: size for d, size in self.list_objects().items() if d not in needed}
        for digest in gone:
            self.objects.delete(_name_object(digest))
        self.unmark(self.list_marked() - needed)
        sizes = list(gone.values())
        for folder in (OBJECTS, BACKUPS, DAMAGED):
            sizes += [found.size for found in self.objects.remove_staged(folder)]
        return len(old), len(sizes), sum(sizes)

    def _read_record(self, name: str) -> Backup:
        try:
            stored = json.loads(self.objects.get(name))
            form = stored.pop("format")
            if form != FORMAT:
                raise self._refuse_file(name, f"it is not in the format {FORMAT}")
            (log, log_size), (index, index_size) = stored.pop("log"), stored.pop("index")
            backup = Backup(log=(log, log_size), index=(index, index_size), **stored)
            _read_moment(backup.name)
            if _name_record(backup.name) != name:
                raise self._refuse_file(name, f"it is the record of {backup.name}")
            return backup
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise self._refuse_file(name, "it is not what was written") from error

    def refuse(self, part: Part, reason: str) -> DamagedBackup:
        """The error for an object that is not what was put."""
        return self._refuse_file(_name_object(part[0]), reason)

    def _refuse_file(self, name: str, reason: str) -> DamagedBackup:
        place = self.url if self.folder is None else f"{self.folder}/"
        return DamagedBackup(Path(place) / name, reason, place)


def find_url(place: str) -> str | None:
    """The URL of a place that somebody names; None if it is a file.

    A place is a URL, an existing folder, or a path that ends with a slash.
    """
    if "://" in place:
        return place
    path = Path(place)
    return path.resolve().as_uri() if place.endswith("/") or path.is_dir() else None


def name_backup(begun: datetime, newest: Backup | None) -> str:
    """A name later than that of the newest backup, also if that was made with the clock ahead."""
    moment = begun
    if newest is not None:
        moment = max(begun, _read_moment(newest.name) + timedelta(microseconds=1))
    return f"{moment:{MOMENT}}-{secrets.token_hex(3)}"


def _read_moment(name: str) -> datetime:
    """The time in a backup's name; raises ValueError."""
    return datetime.strptime(name.partition("-")[0], MOMENT).replace(tzinfo=UTC)


def _find_folder(url: str) -> Path | None:
    parts = urlsplit(url)
    return Path(unquote(parts.path)) if parts.scheme == "file" else None


def _name_object(digest: str) -> str:
    return f"{OBJECTS}/{digest[:2]}/{digest}"


def _name_record(name: str) -> str:
    return f"{BACKUPS}/{name}.json"
