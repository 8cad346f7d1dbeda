"""Archives finished games that nobody has touched for a long time, while the service runs.

The feed's old entries follow them.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Final
from uuid import uuid4

from service.archive.archiver import Archived, Archiver
from service.archive.collector import Collected, Collector
from service.archive.feed_trimmer import FeedTrimmer, Trimmed
from service.archive.rebuilt_directory import RebuiltDirectory
from service.archive.unnamed import FOLDERS
from service.composition.service import Service, now
from service.game import repository as games
from service.game.values import GameStatus
from service.imports.stored_files import FOLDER as IMPORTS
from service.log.errors import UnknownEvent
from service.log.redis_exchange import read_together
from service.log.values import StreamId
from service.secrets.errors import CannotUnseal

logger = logging.getLogger(__name__)

PAGE: Final = 500
"""The number of games that are looked at together."""
FRESH: Final = 60_000
"""Milliseconds for which an entry stays in the feed, whoever has read it."""
LONGEST_WRITE: Final = 24 * 3600
"""Seconds within which a process that is writing an object adds to it, or is dead."""

Progress = Callable[[int, int], None]
"""Called with the number of games looked at, and the number in Redis."""


def archive_games(service: Service, before: int, progress: Progress) -> Archived:
    """Archive the finished games whose last event is from before this time, in milliseconds.

    Raises ObjectsAway, DirectoryAway and DamagedSegment; even then, what has left Redis is
    archived.
    """
    log = service.log
    archiver = Archiver(log.tier, log.archive, now)
    return sum(archiver.run(find_old_games(service, before, progress)), Archived())


def trim_feeds(service: Service, before: int, go_on: Callable[[], bool] = lambda: True) -> Trimmed:
    """Remove from the feeds what is older than this time and was read by every reader.

    The time is in milliseconds. Nothing is trimmed if no reader is registered. `go_on` is called
    after each segment; if it returns False, trimming ends. Raises what `archive_games` raises.
    """
    log = service.log
    read = service.feed_readers.find_read(log.partitions)
    trimmed = Trimmed()
    for done in FeedTrimmer(log.tier, log.archive, now).run(read, min(before, now() - FRESH)):
        trimmed += done
        if not go_on():
            break
    return trimmed


def collect_objects(service: Service, grace: int) -> Collected:
    """Remove objects to which nothing has referred for `grace` milliseconds from the object store.

    What killed processes left half-written there, in a folder, is removed too, and counted. Raises
    what `Collector.run` raises.
    """
    archive = service.log.archive
    collected = Collector(service.log.tier, archive, now, grace).run()
    before = time.time() - LONGEST_WRITE
    sizes = [
        found.size
        for folder in (*FOLDERS, IMPORTS)
        for found in archive.objects.remove_staged(folder, before)
    ]
    return replace(
        collected, objects=collected.objects + len(sizes), bytes=collected.bytes + sum(sizes)
    )


def make_directory(service: Service, progress: Callable[[int, int], None]) -> int:
    """Rebuild the archive's directory from the object store; returns the number of segments.

    Segments of a log that this one has replaced, by a restore into the same object store, are left
    out.
    """
    log = service.log
    segments = RebuiltDirectory(log.redis, log.archive).build(progress)
    log.tier.note_directory(log.archive.directory, anew=True)
    log.tier.set_fences(games.KIND, uuid4().hex)
    return segments


def find_old_games(service: Service, before: int, progress: Progress) -> Iterator[StreamId]:
    """Yield the finished games in Redis whose last event is from before this time."""
    redis = service.log.redis
    streams = iter(found := list(redis.streams(games.KIND)))
    done = 0
    while page := list(islice(streams, PAGE)):
        commands = [("XREVRANGE", redis.key(stream), "+", "-", "COUNT", 1) for stream in page]
        newest = read_together(redis.client, commands)
        for stream, entries in zip(page, newest, strict=True):
            # Folding a game takes milliseconds, and is needed only for the old ones.
            if entries and int(entries[0][1][5]) < before and is_finished(service, stream):
                yield stream
        done += len(page)
        progress(done, len(found))


def is_finished(service: Service, stream: StreamId) -> bool:
    """Whether a game is over and has its score, so that nothing more will happen by itself.

    A game that cannot be read is named in the log; it stays, and the others do not wait for it.
    """
    try:
        state = service.games.find(stream.id)
    except (UnknownEvent, CannotUnseal) as error:
        logger.warning("the game %s is not archived: %s", stream.id, error)
        return False
    return state is not None and state.status is GameStatus.FINISHED and state.is_scored
