"""An archive that cannot be read, as those who read the log see it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import redis

from service.archive.errors import DamagedSegment, DirectoryAway
from service.log.unreadable import Unreadable
from service.storage.errors import ObjectMissing, ObjectsAway


class ArchiveAway(redis.ConnectionError):
    """A stream is in the archive, which cannot be read: to whoever reads it the log is away."""


class ArchiveDamaged(ArchiveAway, Unreadable):
    """What is in the archive is damaged or missing there: asking again does not help."""


@contextmanager
def raise_as_outage() -> Iterator[None]:
    """Raises ArchiveAway for what keeps the archive from being read, ArchiveDamaged where it is."""
    try:
        yield
    except (ObjectMissing, DamagedSegment) as error:
        raise ArchiveDamaged(str(error)) from error
    except (ObjectsAway, DirectoryAway) as error:
        raise ArchiveAway(str(error)) from error
