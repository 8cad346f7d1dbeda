"""What is left of a log that was emptied: lists, and archived games."""

from __future__ import annotations

from contextlib import suppress

from service.archive.directory import open_directory
from service.archive.errors import DirectoryAway
from service.log.interface import FEED_START
from service.projection.checkpoints import read_checkpoints
from service.projection.database.opening import open_database
from service.projection.errors import DatabaseError
from service.settings import Settings


def has_lists(settings: Settings) -> bool:
    """Whether lists were made from events; False if the database cannot be read."""
    database = open_database(settings.data_dir, settings.database_url)
    try:
        known = database.read(read_checkpoints)
        return any(position != FEED_START for position in known.values())
    except DatabaseError:
        return False
    finally:
        database.close()


def count_archived(settings: Settings) -> int:
    """The number of games in the archive's directory; 0 if that cannot be read."""
    with suppress(DirectoryAway):
        return open_directory(settings.data_dir, settings.database_url).count()[0]
    return 0


def forget_archived(settings: Settings) -> None:
    """Forget where archived games are."""
    open_directory(settings.data_dir, settings.database_url).clear()
