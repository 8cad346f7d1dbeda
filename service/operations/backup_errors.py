"""Errors of backups and of restoring them.

OperationsError
├── DamagedBackup      the file is truncated, altered or not a backup
├── NotPruned          a backup was made, but damage keeps the old ones from being removed
├── NotAlone           a backup was made, but a full store had no room for its lock
├── NoBackup           a place for backups has none with that name
├── BackupOfAnother    the place has the backups of another service
├── BackupBusy         another process writes backups into the place
├── NotEmpty           the store to restore into is not empty
├── OtherKeysThere     the data directory to restore into has other keys
├── RemainsThere       the lists to restore into are those of another service
├── ObjectsInUse       the object store to restore into has those of another service
├── ReplicasMissing    the log's server has fewer replicas than it needs       replicas-missing
├── RestoreUnfinished  a restore into the store was not finished
├── RestoreBusy        another process restores into the store
└── RestoreCutOff      the store became unavailable before a restore was done
"""

from __future__ import annotations

from pathlib import Path

from service.operations.errors import OperationsError


class DamagedBackup(OperationsError):
    """The file at `path` is not a backup that can be restored; `reason` says why.

    In a `place` for backups it is a part of one or more of them.
    """

    path: Path
    reason: str
    place: str | None = None

    def __str__(self) -> str:
        told = f"{self.path} cannot be restored: {self.reason}"
        if self.place is None:
            return told
        return (
            f"{told}; movelog backup {self.place} --verify names the backups that this damages, and"
            " movelog restore --backup NAME restores another one"
        )


class NotPruned(OperationsError):
    """The backup `name` was made, but what old backups need is not known: `damage` says why."""

    message = (
        "backup {name} was made, but --keep removed nothing: {damage}. To give a damaged backup up,"
        " move its file out of backups/"
    )
    name: str
    damage: str


class NotAlone(OperationsError):
    """The backup `name` was made while the store had no room for the lock of the place."""

    message = (
        "backup {name} was made, but --keep removed nothing: the store is full, so that another"
        " movelog backup may have run meanwhile. Make room, and run movelog backup again"
    )
    name: str


class NoBackup(OperationsError):
    """There is no backup in `place`, or none named `name`."""

    place: str
    name: str | None = None

    def __str__(self) -> str:
        if self.name is None:
            return f"there is no backup in {self.place}"
        return f"there is no backup {self.name} in {self.place}: movelog backup --list shows them"


class BackupOfAnother(OperationsError):
    """The backups in `place` are those of a service with another secret."""

    message = "{place} has the backups of another service: give each service a place of its own"
    place: str


class BackupBusy(OperationsError):
    """Another process may write into a place for backups: its lock was lost, or not held."""

    message = (
        "another movelog backup may write into {place}, because this process stood still for too"
        " long or the store was full: run movelog backup again (the earlier backups are unchanged)"
    )
    place: str


class NotEmpty(OperationsError):
    """The store to restore into already holds data; `what` says which."""

    message = (
        "the store holds {what}, and a backup can only be restored into an empty one:"
        " use another data directory or Redis"
    )
    what: str


class OtherKeysThere(OperationsError):
    """The key in `file` is not the one that would replace it."""

    message = (
        "{file} is not the key in the backup, so a service uses this data directory, or has used"
        " it: name a new one with --data-dir or MOVELOG_DATA_DIR (nothing was changed)"
    )
    file: Path


class RemainsThere(OperationsError):
    """The settings name a database with `left`, and nothing in `data_dir` says whose they are."""

    message = (
        "{left} of a service are there, and {data_dir} does not have its keys: name another"
        " database in MOVELOG_DATABASE_URL, or another data directory; if that service no longer"
        " exists, run movelog restore --own-objects (nothing was changed)"
    )
    left: str
    data_dir: Path


class ObjectsInUse(OperationsError):
    """The object store at `url` has archived games of another service."""

    message = (
        "{url} has the archived games of another service: name another object store in"
        " MOVELOG_OBJECTS_URL; if that service no longer exists, run movelog restore --own-objects"
        " (nothing was changed)"
    )
    url: str


class ReplicasMissing(OperationsError):
    """The server `name` has `found` of the `needed` replicas."""

    code = "replicas-missing"
    message = (
        "replicas-missing: {name} has {found} of the {needed} replicas of MOVELOG_REPLICAS, so that"
        " a failover could lose restored data: start them and run movelog restore again (nothing"
        " was changed)"
    )
    name: str
    found: int
    needed: int


class RestoreUnfinished(OperationsError):
    """The store holds part of a backup: the end of a restore into it is missing."""

    message = (
        "the store holds only part of a backup: a restore into it was interrupted, or movelog"
        " repair has cut off its end; run movelog restore with the backup again"
    )


class RestoreBusy(OperationsError):
    """Another process restores into the store, or may do so since the lock was lost."""

    message = (
        "another movelog restore fills this store: wait until it has finished; if it was"
        " interrupted, run movelog restore again"
    )


class RestoreCutOff(OperationsError):
    """The store stopped answering, for this `reason`, before all of a backup was in it."""

    message = (
        "the store went away before everything was restored ({reason}): once it answers, run"
        " movelog restore with the backup again, which replaces the part that was restored"
    )
    reason: str
