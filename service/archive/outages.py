"""The errors that readers of the log see if the archive cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import redis

from service.archive.errors import DamagedSegment, DirectoryAway
from service.log.unreadable import Unreadable
from service.storage.errors import ObjectMissing, ObjectsAway


class ArchiveAway(redis.ConnectionError):
    """A stream is in the archive, which cannot be read: to its readers the log is unavailable."""


class ArchiveDamaged(ArchiveAway, Unreadable):
    """Something in the archive is damaged or missing: trying again does not help."""


@contextmanager
def raise_as_outage() -> Iterator[None]:
    """Raise ArchiveAway for what keeps the archive from being read, ArchiveDamaged for damage."""
    try:
        yield
    except (ObjectMissing, DamagedSegment) as error:
        raise ArchiveDamaged(str(error)) from error
    except (ObjectsAway, DirectoryAway) as error:
        raise ArchiveAway(str(error)) from error
