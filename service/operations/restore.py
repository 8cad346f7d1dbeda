"""Restoring a backup into an empty store."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import redis
from redis.exceptions import RedisClusterException

from service.accounts.store import AccountStore
from service.archive.redis_tier import RedisTier
from service.composition.log_store import borrow_log, check_place, is_apart
from service.composition.service import CODEC, now, open_archive
from service.game import repository as games
from service.imports.opening import open_uploads
from service.log.interface import FEED_START
from service.log.redis import RedisEventLog
from service.log.redis_exchange import LogClient
from service.log.values import StreamId
from service.mail.store import restore_subscriptions
from service.operations.archived_streams import ArchivedStreams
from service.operations.backup import DIGEST, ENTRY, Progress
from service.operations.backup_file import Line, check, read_lines
from service.operations.backup_imports import RestoredImports
from service.operations.backup_keys import check_restored_keys
from service.operations.data_dir import make_private, write_private
from service.operations.errors import NotEmpty, RestoreCutOff
from service.operations.restore_target import (
    identify_restore,
    refuse_used_target,
    take_over_objects,
)
from service.operations.restored_cold import RestoredColdPart
from service.operations.restored_feeds import RestoredFeeds
from service.operations.restored_replicas import refuse_few_replicas, wait_until_replicated
from service.operations.unfinished_restore import RESTORE_LOCK, RESTORING_KEY, hold_restore
from service.player import state as player
from service.projection.database.opening import open_database
from service.secrets.key_source import find_key_sources
from service.secrets.service_secret import read_service_secret
from service.secrets.stored_keys import KEYS, SEALED
from service.settings import Settings
from service.storage.connections import open_store
from service.webhooks.store import Webhooks

BATCH: Final = 100
"""The number of lines written in one round trip."""


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
    keys = find_key_sources(settings)
    check_restored_keys(keys, about, read_lines(path))
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
            archive, mark = open_archive(settings), identify_restore(settings, path)
            is_known = client.get(RESTORING_KEY) == mark.encode()
            refuse_used_target(settings, archive, path, is_known=is_known, own_objects=own_objects)
            remove_unfinished(client, keeping)
            check_place(keeping, client)
            log = RedisEventLog(keeping, CODEC, about["partitions"])
            refuse_a_used_log(log)
            # Lists of another log must not be read with this one. A database that fails is reported
            # before the store is touched.
            database = open_database(settings.data_dir, settings.database_url)
            database.replace_by(database.build(), lambda connection: None)
            database.close()
            tier = RedisTier(log)
            archived = ArchivedStreams(tier, archive)
            feeds = RestoredFeeds(tier, archive)
            client.set(RESTORING_KEY, mark)
            if own_objects:
                take_over_objects(archive)
            # An empty store may have been begun with other keys than the backup brings.
            client.delete(KEYS, SEALED)
            streams = 0
            if cold is not None:
                streams = cold.restore(find_streams(path), archived, feeds, imports, progress)
                check_lock()
            apart = is_apart(keeping, client)
            # No transaction spans the nodes of a cluster.
            pipeline = keeping.pipeline(transaction=not apart)
            for number, line in enumerate(read_lines(path), 1):
                if number % BATCH == 0:
                    check_lock()
                    pipeline.execute()
                    progress(number, total)
                if "file" in line:
                    restore_file(settings, line)
                elif "stream" in line:
                    streams += 1
                    if line.get("archived"):
                        archived.add(line)
                    else:
                        add_stream(pipeline, log, line)
                elif "feed" in line:
                    feeds.add(pipeline, line)
                elif "import" in line:
                    imports.restore_piece(line)
                elif "mail" in line:
                    restore_subscriptions(client, line["mail"])
                elif "account" in line:
                    # Players are found by the service's secret, which was restored before.
                    accounts = AccountStore(client, read_service_secret(keys.secret))
                    accounts.restore(line["account"], line["parts"])
                else:
                    Webhooks(client, now).restore(line["webhooks"])
            check_lock()
            imports.finish()
            archived.finish()
            feeds.finish(pipeline)
            if not apart:
                wait_until_replicated(log, settings.replicas)
                # In one transaction with the last lines: cutting off the end of the store's own log
                # cannot lose only the deletion.
                pipeline.delete(RESTORING_KEY)
            pipeline.execute()
            with marking_again(client, mark):
                wait_until_replicated(log, settings.replicas)
            client.delete(RESTORING_KEY)
            progress(total, total)
            return streams


@contextmanager
def tell_what_next() -> Iterator[None]:
    """Raise RestoreCutOff if the store becomes unavailable in this context."""
    try:
        yield
    except (redis.RedisError, RedisClusterException) as error:
        raise RestoreCutOff(str(error)) from error


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


def restore_file(settings: Settings, line: Line) -> None:
    """Restore one of the data directory's files, but no keys that the operator gives."""
    if settings.given_keys is not None and line["file"] in settings.given_keys:
        return
    known = {file.name: file for file in settings.kept_files}
    make_private(settings.data_dir)
    write_private(known[line["file"]], base64.b64decode(line["data"]))


def add_stream(pipeline: Any, log: RedisEventLog, line: Line) -> None:
    """Add a stream and what is kept beside it to the pipeline."""
    kind, _, id = line["stream"].partition(":")
    key = log.key(StreamId(kind, id))
    for version, values in enumerate(line["entries"], 1):
        *texts, digest = values
        fields = {**dict(zip(ENTRY, texts, strict=True)), DIGEST: bytes.fromhex(digest)}
        pipeline.xadd(key, fields, id=f"{version}-0")
    for beside in ("receipts", "aside"):
        if line[beside]:
            pipeline.hset(f"{key}:{beside}", mapping=line[beside])
