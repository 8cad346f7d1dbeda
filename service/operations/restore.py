"""Restoring a backup into an empty store."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import redis
from redis.exceptions import RedisClusterException

from service.composition.log_store import borrow_log, check_place
from service.composition.service import CODEC, open_archive
from service.game import repository as games
from service.imports.opening import open_uploads
from service.log.interface import FEED_START
from service.log.redis import RedisEventLog
from service.log.redis_exchange import LogClient
from service.log.values import StreamId
from service.operations.backup import Progress
from service.operations.backup_errors import NotEmpty, RestoreCutOff
from service.operations.backup_file import Line, check, read_lines
from service.operations.backup_imports import RestoredImports
from service.operations.backup_keys import check_restored_keys
from service.operations.restore_target import (
    Target,
    identify_restore,
    refuse_used_target,
    take_over_objects,
)
from service.operations.restored_cold import RestoredColdPart
from service.operations.restored_lines import RestoredLines
from service.operations.restored_replicas import refuse_few_replicas, wait_until_replicated
from service.operations.store_outage import explain_outage
from service.operations.unfinished_restore import RESTORE_LOCK, RESTORING_KEY, hold_restore
from service.player import state as player
from service.projection.database.opening import open_database
from service.secrets.key_source import find_key_sources
from service.secrets.stored_keys import KEYS, SEALED
from service.settings import Settings
from service.storage.connections import open_store


def restore(
    settings: Settings,
    path: Path,
    progress: Progress,
    checked: tuple[Line, int] | None = None,
    cold: RestoredColdPart | None = None,
    *,
    own_objects: bool = False,
) -> int:
    """Put a backup into the store and the data directory; returns the number of its streams.

    The projections are not in it: those in the database are emptied and must be rebuilt. Raises
    DamagedBackup, NoKeys, OtherKeys, RestoreBusy, ReplicasMissing and what `refuse_used_target`
    raises before anything is changed, NotEmpty, PartitionMismatch, DatabaseError, what
    `connect_log` raises, for archived games what `Archive.put` raises, and TooFewReplicas if
    replicas do not get all of it. A restore that was interrupted can be started again; if this
    process stood still for so long that another may have done so, RestoreBusy is raised. `checked`
    is the result of `check` for the file, if known. With `own_objects`, the service that had the
    objects and lists is gone.
    """
    about, total = checked or check(path)
    check_restored_keys(find_key_sources(settings), about, read_lines(path))
    with (
        open_store(settings.redis_url) as client,
        borrow_log(settings, client) as keeping,
    ):
        # It only reads, and a store that lacks replicas may refuse to keep the lock.
        refuse_few_replicas(keeping, client, settings.replicas)
        with (
            hold_restore(client) as check_lock,
            RestoredImports(open_uploads(settings, client)) as imports,
        ):
            target = Target(settings, client, keeping, open_archive(settings))
            mark = identify_restore(settings, path)
            refuse_used(target, path, mark, own_objects)
            log = empty_log(target, about["partitions"])
            empty_lists(settings)
            lines = RestoredLines(target, log, imports)
            begin(target, mark, own_objects)
            streams = 0
            if cold is not None:
                streams = lines.add_cold(cold, find_streams(path), check_lock, progress)
            streams += lines.add_all(read_lines(path), total, check_lock, progress)
            check_lock()
            finish(target, lines, mark)
            progress(total, total)
            return streams


def refuse_used(target: Target, path: Path, mark: str, own_objects: bool) -> None:
    """Raise what `refuse_used_target` raises, unless this restore was begun before."""
    is_known = target.client.get(RESTORING_KEY) == mark.encode()
    refuse_used_target(
        target.settings, target.archive, path, is_known=is_known, own_objects=own_objects
    )


def empty_log(target: Target, partitions: int) -> RedisEventLog:
    """The log to restore into, without what an interrupted restore has left.

    Raises NotEmpty, PartitionMismatch and what `check_place` raises.
    """
    remove_unfinished(target.client, target.keeping)
    check_place(target.keeping, target.client)
    log = RedisEventLog(target.keeping, CODEC, partitions)
    refuse_a_used_log(log)
    return log


def empty_lists(settings: Settings) -> None:
    """Empty the lists: those of another log must not be read with this one.

    Raises DatabaseError, before the store is touched.
    """
    database = open_database(settings.data_dir, settings.database_url)
    database.replace_by(database.build(), lambda connection: None)
    database.close()


def begin(target: Target, mark: str, own_objects: bool) -> None:
    """Mark the store as holding part of a backup."""
    target.client.set(RESTORING_KEY, mark)
    if own_objects:
        take_over_objects(target.archive)
    # An empty store may have been begun with other keys than the backup brings.
    target.client.delete(KEYS, SEALED)


def finish(target: Target, lines: RestoredLines, mark: str) -> None:
    """Store the rest, and remove the mark once replicas have everything."""
    client, replicas = target.client, target.settings.replicas
    lines.finish()
    if not target.is_apart:
        wait_until_replicated(lines.log, replicas)
        # In one transaction with the last lines: cutting off the end of the store's own log
        # cannot lose only the deletion.
        lines.pipeline.delete(RESTORING_KEY)
    lines.pipeline.execute()
    with marking_again(client, mark):
        wait_until_replicated(lines.log, replicas)
    client.delete(RESTORING_KEY)


@contextmanager
def tell_what_next() -> Iterator[None]:
    """Raise RestoreCutOff if the store becomes unavailable in this context."""
    try:
        yield
    except (redis.RedisError, RedisClusterException) as error:
        raise RestoreCutOff(explain_outage() or str(error)) from error


@contextmanager
def marking_again(client: redis.Redis, mark: str) -> Iterator[None]:
    """Mark the store as holding part of a backup if it becomes unavailable in this context."""
    try:
        yield
    except redis.RedisError:
        with suppress(redis.RedisError):
            client.set(RESTORING_KEY, mark)
        raise


def find_streams(path: Path) -> set[StreamId]:
    """The streams that have events in a backup."""
    names = (line["stream"] for line in read_lines(path) if line.get("entries"))
    return {StreamId(*name.split(":", 1)) for name in names}


def remove_unfinished(client: redis.Redis, log: LogClient) -> None:
    """Remove what an interrupted restore has put in; does nothing if there was none."""
    if client.exists(RESTORING_KEY):
        for store in (log, client):
            for key in store.scan_iter(match="movelog:*", count=1000):
                if key not in (RESTORING_KEY.encode(), RESTORE_LOCK.encode()):
                    store.unlink(key)


def refuse_a_used_log(log: RedisEventLog) -> None:
    """Raise NotEmpty for a log that has events."""
    if any(position != FEED_START for position in log.feed_positions().values()):
        counts = [f"{len(log.streams(kind))} {kind}s" for kind in (games.KIND, player.KIND)]
        raise NotEmpty(" and ".join(counts))
