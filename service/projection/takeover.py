"""What an archive's first projector does if the database is new or does not match the log."""

from __future__ import annotations

import logging
from typing import Any, Final

import redis

from service.game.repository import Games
from service.log.interface import FEED_START
from service.projection.checkpoints import read_checkpoints
from service.projection.database.chunks import batched
from service.projection.database.database import Database
from service.projection.heads import find_ahead
from service.projection.reaction_progress import REACTED

log = logging.getLogger(__name__)

OLD_INDEXES: Final = "movelog:{index}:"
"""How the keys began in which earlier versions kept the read models in Redis."""
REMOVED: Final = "movelog:{lists}:removed"
"""Set once these keys are deleted, so that no later start looks for them again."""
CHUNK: Final = 500


def needs_rebuild(games: Games, database: Database) -> bool:
    """Whether the tables are empty while the log is not, or know more than the log has.

    The former is the case for an archive of an earlier version, and where the database was lost;
    the latter where the log is an older one, or another, or has lost its last events.
    """
    known = database.read(read_checkpoints)
    if not known:
        return any(position != FEED_START for position in games.log.feed_positions().values())
    return bool(find_ahead(games.log, known))


def remove_old_indexes(store: redis.Redis) -> int:
    """Delete what earlier versions kept of the read models in Redis, in steps; returns how much.

    Does nothing where that was done before; an interrupted deletion continues.
    """
    if store.exists(REMOVED):
        return 0
    count = 0
    keys: Any = store.scan_iter(match=f"{OLD_INDEXES}*", count=1000)
    for some in batched(keys, CHUNK):
        old = [key for key in some if key != REACTED.encode()]
        if old:
            store.unlink(*old)
            count += len(old)
    store.set(REMOVED, "yes")
    if count:
        log.info("%s keys of the lists of an earlier version were removed from Redis", count)
    return count
