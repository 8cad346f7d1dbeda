"""Errors of the machine's memory and disks.

ServiceError
└── StorageFull   memory or disk has no room; nothing was kept   storage-full
"""

from __future__ import annotations

from service.errors import ServiceError


class StorageFull(ServiceError):
    """The store's memory or a disk has no room for what was to be written; it kept nothing."""

    code = "storage-full"
    retry_after = 5
    """Seconds after which there may be room again."""
    message = (
        "the service has no room for more data; nothing of this request was kept,"
        " and reading still works: try again once the operator has made room"
    )
