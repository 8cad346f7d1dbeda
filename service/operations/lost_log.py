"""Detects a log that was emptied while its lists and archived games are left.

A new installation has neither. It is reported at the start. Otherwise nobody would notice that all
games are gone, or the old ones would be listed beside new ones.
"""

from __future__ import annotations

from service.archive import FILE
from service.composition.log_store import borrow_log, check_place
from service.log.codec import Codec
from service.log.interface import FEED_START
from service.log.redis import RedisEventLog
from service.log.redis_exchange import LogClient
from service.operations.errors import LogLost, LogNotLost
from service.projection.database import FOLDER
from service.settings import Settings
from service.storage.connections import open_store


def refuse_lost_log(settings: Settings, client: LogClient) -> None:
    """Raise LogLost for a log without events if something made from earlier events exists.

    A database that cannot be read proves nothing. Raises PartitionMismatch.
    """
    if is_empty(client) and (left := list_remains(settings)):
        raise LogLost(" and ".join(left))


def is_empty(client: LogClient) -> bool:
    """Whether a log has no events; raises PartitionMismatch."""
    # No events are read.
    positions = RedisEventLog(client, Codec({})).feed_positions()
    return all(position == FEED_START for position in positions.values())


def list_remains(settings: Settings) -> list[str]:
    """What exists that only a log with events can have led to."""
    kept, data_dir = settings.database_url is not None, settings.data_dir
    lists, directory = kept or (data_dir / FOLDER).exists(), kept or (data_dir / FILE).exists()
    if not lists and not directory:
        # Nothing is created if nothing exists, and the first start does not wait for imports.
        return []
    from service.operations.log_remains import count_archived, has_lists

    left = ["the lists"] if lists and has_lists(settings) else []
    if directory and (games := count_archived(settings)):
        left.append(f"the directory of {games} archived games")
    return left


def check_lost_log(settings: Settings, *, is_new: bool) -> None:
    """Raise LogLost before a rebuild of a log that was emptied, unless a new one is begun.

    With `is_new`, forget where the games of the lost log are archived; raises LogNotLost if the log
    has events.
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
            from service.operations.log_remains import forget_archived

            forget_archived(settings)
