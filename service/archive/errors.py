"""What can go wrong with the archive.

ServiceError
├── DirectoryAway    the database of the directory cannot be reached or written
├── DamagedSegment   what the object store gives back is not what it was given
└── ObjectsOfAnother another service removes objects from this store

To readers of the log, `service.archive.tiered` reports both as an error of Redis.
"""

from __future__ import annotations

from service.errors import ServiceError


class DirectoryAway(ServiceError):
    """The directory cannot be read or written, for a `reason` meant for operators only."""

    code = "directory-away"
    message = "the directory of the archive cannot be used ({reason})"
    reason: str


class DamagedSegment(ServiceError):
    """The segment of this `name` has other bytes than were written; `reason` says where."""

    code = "damaged-segment"
    message = "the archive's object {name} is damaged ({reason}); restore it from a backup"
    name: str
    reason: str


class ObjectsOfAnother(ServiceError):
    """The archive's objects at `url` belong to the directory of another service."""

    code = "objects-of-another"
    message = (
        "nothing is removed from {url}: a service with another directory did so last. If that"
        " service no longer exists, for example after a restore, run movelog archive --own-objects"
    )
    url: str
