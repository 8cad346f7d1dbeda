"""A log that was emptied under lists and archived games that are left of it.

A new installation has neither. Told at the start: else nobody would see that all games are gone,
or the old ones would be listed beside new ones.
"""

from __future__ import annotations

from contextlib import suppress

from service.archive.directory import FILE, open_directory
from service.archive.errors import DirectoryAway
from service.composition.log_store import borrow_log, check_place
from service.composition.service import CODEC
from service.log.interface import FEED_START
from service.log.redis import RedisEventLog
from service.log.redis_exchange import LogClient
from service.operations.errors import LogLost, LogNotLost
from service.projection.checkpoints import read_checkpoints
from service.projection.database.opening import FOLDER, open_database
from service.projection.errors import DatabaseError
from service.settings import Settings
from service.storage.connections import open_store


def refuse_lost_log(settings: Settings, client: LogClient) -> None:
    """Raise LogLost for a log without events beside what was made of one that had some.

    A database that cannot be read tells nothing. Raises PartitionMismatch.
    """
    if is_empty(client) and (left := list_remains(settings)):
        raise LogLost(" and ".join(left))


def is_empty(client: LogClient) -> bool:
    """Whether a log has no events; raises PartitionMismatch."""
    positions = RedisEventLog(client, CODEC).feed_positions()
    return all(position == FEED_START for position in positions.values())


def list_remains(settings: Settings) -> list[str]:
    """What there is that only a log with events can have led to."""
    left = []
    # Nothing is made where there is nothing.
    if settings.database_url is not None or (settings.data_dir / FOLDER).exists():
        database = open_database(settings.data_dir, settings.database_url)
        with suppress(DatabaseError):
            known = database.read(read_checkpoints)
            if any(position != FEED_START for position in known.values()):
                left.append("the lists")
        database.close()
    if settings.database_url is not None or (settings.data_dir / FILE).exists():
        with suppress(DirectoryAway):
            games, _, _ = open_directory(settings.data_dir, settings.database_url).count()
            if games:
                left.append(f"the directory of {games} archived games")
    return left


def check_lost_log(settings: Settings, *, is_new: bool) -> None:
    """Raise LogLost before a rebuild of a log that was emptied, unless a new one is begun.

    With `is_new`, forget where the games of the lost one are archived; raises LogNotLost for a log
    that has events.
    """
    with (
        open_store(settings.redis_url) as client,
        borrow_log(settings, client) as keeping,
    ):
        check_place(keeping, client)
        if not is_new:
            refuse_lost_log(settings, keeping)
        elif not is_empty(keeping):
            raise LogNotLost
        else:
            open_directory(settings.data_dir, settings.database_url).clear()
