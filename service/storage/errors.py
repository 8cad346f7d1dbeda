"""Errors of the machine's memory and disks, and of the object store.

ServiceError
├── StorageFull     memory or disk has no room; nothing was kept          storage-full
├── ObjectsAway     the object store refuses or does not answer           objects-away
└── ObjectMissing   the object store lacks an object that was put there   object-missing
"""

from __future__ import annotations

from typing import Final

from service.errors import ServiceError

CHECK_FILES: Final = "that archive/ in the data directory can be read and written"
CHECK_SERVER: Final = "MOVELOG_DATABASE_URL, and that the server there runs"
"""What an operator should check if SQLite's files, or PostgreSQL, cannot be used."""


class StorageFull(ServiceError):
    """The store's memory or a disk has no room for what was to be written; nothing was kept."""

    code = "storage-full"
    retry_after = 5
    """Seconds after which there may be room again."""
    message = (
        "the service has no room for more data; nothing of this request was kept,"
        " and reading still works: try again once the operator has made room"
    )


class ObjectsAway(ServiceError):
    """The object store at `url` refuses or does not answer, for a `reason`; for operators alone.

    `public` is what everybody may be shown.
    """

    code = "objects-away"
    public = "the files cannot be reached; nothing is lost, try again later"
    message = (
        "the object store {url} cannot be used ({reason}); check MOVELOG_OBJECTS_URL, and that it"
        " can be reached, read and written"
    )
    url: str
    reason: str


class ObjectMissing(ServiceError):
    """The object store has no object of this `name`."""

    code = "object-missing"
    message = "the object store has no {name}; restore it from a backup"
    name: str
