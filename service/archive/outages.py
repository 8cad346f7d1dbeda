"""An archive that cannot be read, as those who read the log see it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import redis

from service.archive.errors import DamagedSegment, DirectoryAway
from service.storage.errors import ObjectMissing, ObjectsAway


class ArchiveAway(redis.ConnectionError):
    """A stream is in the archive, which cannot be read: to whoever reads it the log is away."""


@contextmanager
def raise_as_outage() -> Iterator[None]:
    """Raises ArchiveAway for what keeps the archive from being read."""
    try:
        yield
    except (ObjectsAway, ObjectMissing, DirectoryAway, DamagedSegment) as error:
        raise ArchiveAway(str(error)) from error
