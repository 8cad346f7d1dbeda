"""A turn of the archive: what is due by age, and more if Redis has no room for it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from service.archive.archiver import Archived, Archiver
from service.archive.collector import GRACE
from service.archive.errors import ObjectsOfAnother
from service.archive.feed_trimmer import Trimmed
from service.archive.status import ArchiveStatus, note_status, read_status
from service.composition.log_store import list_servers
from service.composition.service import Service, now
from service.environment import MemoryLimit
from service.log.values import StreamId
from service.operations.archiving import collect_objects, find_old_games, trim_feeds

logger = logging.getLogger(__name__)

COLLECTED: Final = "movelog:{archive}:collected"
"""Exists for a day after a look for unreferenced objects, and for RETRY if it was not finished."""

DAY: Final = 24 * 3600 * 1000
HOUR: Final = 3600 * 1000
RETRY: Final = HOUR
"""Milliseconds from the beginning of such a look to the next one, if it failed or was put off."""
USUAL_AGE: Final = 30 * DAY
"""The age at which archiving begins if only memory matters."""
YOUNGEST: Final = HOUR
"""Milliseconds for which a game that was touched stays, however full memory is."""
MOST: Final = 5000
"""About the most games of a turn; another turn may follow at once."""
RELIEF: Final = 0.9
"""The part of the limit down to which memory is freed."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The result of a turn; `is_complete` says that nothing that was due is left."""

    archived: Archived
    trimmed: Trimmed
    is_complete: bool


def take_turn(service: Service, go_on: Callable[[], bool]) -> Turn:
    """Archive what is due, and record the result.

    `go_on` is called after bounded work, at most some seconds apart; if it returns False, the turn
    ends. Raises what `archive_games` raises; that is recorded as well.
    """
    try:
        return _take_turn(service, go_on)
    except Exception as error:
        note_status(service.store, replace(read_status(service.store), error=str(error)))
        raise


def is_pressed(service: Service) -> bool:
    """Whether Redis uses more memory than the operator wants."""
    limit = service.settings.archive_above
    return limit is not None and _is_above(service, limit, 1.0)


def describe_archive(service: Service) -> ArchiveStatus:
    """What is archived at present. Raises DirectoryAway."""
    directory = service.log.archive.directory
    games, segments, size = directory.count()
    entries, feed_size = service.log.archive.feeds.directory.count()
    return ArchiveStatus(now(), games, segments, size, entries, feed_size)


def _take_turn(service: Service, go_on: Callable[[], bool]) -> Turn:
    archived, is_complete = Archived(), True
    for age, is_wanted in _list_ages(service):
        if archived.streams < MOST and is_wanted():
            done, is_complete = _archive(service, now() - age, go_on, is_wanted)
            archived += done
    age = service.settings.archive_after_days * DAY or USUAL_AGE
    # Redis is relieved of the feed as soon as it has been read: it is as large as the games.
    trimmed = trim_feeds(service, now() - (0 if is_pressed(service) else age), go_on)
    is_due = go_on() and service.store.set(COLLECTED, now(), px=RETRY, nx=True)
    if is_due and _collect(service):
        service.store.set(COLLECTED, now(), px=DAY)
    note_status(service.store, describe_archive(service))
    return Turn(archived, trimmed, is_complete)


def _collect(service: Service) -> bool:
    """Remove unreferenced objects; returns False if a backup put that off."""
    try:
        done = collect_objects(service, GRACE)
    except ObjectsOfAnother as error:
        logger.warning("%s", error)
        return True
    if done.objects:
        logger.info("%d objects that nothing named were removed", done.objects)
    return done.is_complete


def _list_ages(service: Service) -> Iterator[tuple[int, Callable[[], bool]]]:
    """Ages in milliseconds, oldest first, each with whether games of that age are to go."""
    days, limit = service.settings.archive_after_days, service.settings.archive_above
    if days:
        yield days * DAY, lambda: True
    if limit is None:
        return
    age = days * DAY or USUAL_AGE
    if not _is_above(service, limit, 1.0):
        return
    if not days:
        yield age, lambda: _is_above(service, limit, RELIEF)
    while age > YOUNGEST:
        age = max(age // 4, YOUNGEST)
        yield age, lambda: _is_above(service, limit, RELIEF)


def _archive(
    service: Service, before: int, go_on: Callable[[], bool], is_wanted: Callable[[], bool]
) -> tuple[Archived, bool]:
    """Archive games from before this time, at most MOST; returns whether that was all."""
    stopped = False

    def look() -> bool:
        nonlocal stopped
        stopped = stopped or not go_on()
        return not stopped

    def renew() -> None:
        look()

    def find() -> Iterator[StreamId]:
        for stream in find_old_games(service, before, lambda done, total: renew()):
            if not look():
                return
            yield stream

    archived = Archived()
    for done in Archiver(service.log.tier, service.log.archive, now).run(find()):
        archived += done
        if not look() or archived.streams >= MOST or not is_wanted():
            return archived, False
    return archived, not stopped


def _is_above(service: Service, limit: MemoryLimit, part: float) -> bool:
    return any(
        _has_more(server.info("memory"), limit, part)
        for server in list_servers(service.log.redis.client)
    )


def _has_more(about: Any, limit: MemoryLimit, part: float) -> bool:
    whole = int(about.get("maxmemory") or about.get("total_system_memory") or 0)
    allowed = limit.bytes or whole * limit.percent // 100
    return allowed > 0 and int(about["used_memory"]) > part * allowed
