"""Backing up a service while it runs: its log and its files, not its Redis.

The log's keys are copied, rather than Redis's own files or dumps, because that is exactly what
cannot be derived. It can be restored into any version of Redis, read with common tools, and is
copied through the connection that the service has, wherever its Redis runs.

Each stream is copied with what is kept beside it by one script, so that no append is torn; archived
streams are copied as they are in the archive. What refers to other streams is copied before them:
so a copied tournament names no game that is missing, and none of its results is of a later version
of a game than the copy. The feeds come after all streams, without the pointers to what was appended
after its stream was copied. Then come the files of imports, the webhooks, players' e-mail addresses
and what they sign in with, which are not events.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Protocol

import redis

from service.accounts.store import AccountStore
from service.analysis import state as analyses
from service.archive.tiered import TieredEventLog
from service.composition.log_store import borrow_log, check_place
from service.composition.service import CODEC, now, open_archive
from service.game import repository as games
from service.imports import repository as imports
from service.imports.events import RECORD
from service.imports.opening import open_uploads
from service.imports.uploads import Uploads
from service.log import claims
from service.log.feed_range import parse_position
from service.log.interface import FEED_START, EventLog
from service.log.redis import RedisEventLog
from service.log.values import Pointer, StreamId
from service.mail.store import export_subscriptions
from service.operations.backup_file import ArchiveWriter, Line, write_archive
from service.operations.backup_imports import upload_lines
from service.operations.backup_keys import SeenKeys, describe_given_keys
from service.player import state as player
from service.puzzles.found import state as found_puzzles
from service.secrets import nonces
from service.secrets.fingerprints import check_sealing, refuse_missing_keys
from service.secrets.key_source import KeySources, find_key_sources
from service.secrets.service_secret import read_service_secret
from service.secrets.stored_keys import StoredKeys
from service.secrets.vault import join_keys
from service.settings import Settings
from service.storage.connections import open_store
from service.webhooks.store import Webhooks

KEY: Final = re.compile(rb"movelog:{p[0-9]+}:([a-z]+):([^:]+)(?::(?:receipts|aside))?")
"""Matches the key of a stream or of what is beside it (`service.log.redis`): kind and id."""

PAGE: Final = 500
"""The most pointers in a line of a backup."""

TURNS: Final[Mapping[str, int]] = {
    imports.KIND: 1,
    claims.KIND: 1,
    analyses.KIND: 1,
    found_puzzles.KIND: 1,
    games.KIND: 2,
    RECORD: 2,
    nonces.KIND: 3,
    player.KIND: 3,
}
"""In which turn streams are copied, by kind: after those that refer to them. All other kinds are
copied in turn 0."""

STREAM: Final = """
return {redis.call('XRANGE', KEYS[1], '-', '+'), redis.call('HGETALL', KEYS[2]),
        redis.call('HGETALL', KEYS[3])}
"""
"""Reads a stream and what is beside it. A full store would refuse a transaction."""

Progress = Callable[[int, int], None]
"""Called with the number of streams done and of all streams."""


@dataclass(frozen=True, slots=True)
class Source:
    """The connections to the service that is backed up."""

    settings: Settings
    client: redis.Redis
    log: TieredEventLog
    keys: KeySources
    uploads: Uploads

    def describe(self) -> Line:
        """The first line of the backup."""
        return {
            "partitions": self.log.partitions,
            "made_at": datetime.now(UTC).isoformat(timespec="seconds"),
            **describe_given_keys(self.keys),
        }


@contextmanager
def open_source(settings: Settings) -> Iterator[Source]:
    """Connect to the service that these settings name; raises what `connect_log` raises.

    Also raises NoKeys and KeyStillNeeded: a backup without the service's keys is no backup.
    """
    with (
        open_store(settings.redis_url) as client,
        borrow_log(settings, client) as keeping,
    ):
        check_place(keeping, client)
        keys = find_key_sources(settings)
        refuse_missing_keys(client, keys)
        check_sealing(StoredKeys(client), keys.choice)
        log = TieredEventLog(RedisEventLog(keeping, CODEC), open_archive(settings))
        uploads = open_uploads(settings, client)
        yield Source(settings, client, log, keys, uploads)


class ColdPart(Protocol):
    """How a backup holds what is large and never changes."""

    @property
    def feed_starts(self) -> Mapping[int, str]:
        """The position in each partition's feed up to which it holds the feed."""

    def copy_streams(self, copied: Mapping[StreamId, int]) -> Iterator[tuple[StreamId, int]]:
        """Copy the archived streams not copied before; yields each with its version."""

    def copy_uploads(self, streams: Iterable[StreamId]) -> None:
        """Copy the files of those of the streams that are imports."""


class WrittenColdPart:
    """Writes archived streams and uploads as lines of a backup file; holds no part of the feed."""

    def __init__(self, source: Source, archive: ArchiveWriter) -> None:
        self.feed_starts = dict.fromkeys(range(source.log.partitions), FEED_START)
        self._source = source
        self._archive = archive

    def copy_streams(self, copied: Mapping[StreamId, int]) -> Iterator[tuple[StreamId, int]]:
        """Write a line for each stream."""
        for line, stream, version in archived_lines(self._source.log, copied):
            self._archive.add(line)
            yield stream, version

    def copy_uploads(self, streams: Iterable[StreamId]) -> None:
        """Write a line for each piece."""
        for line in upload_lines(self._source.uploads, streams):
            self._archive.add(line)


def back_up(settings: Settings, path: Path, progress: Progress) -> int:
    """Write a backup of the log that these settings name; returns the number of streams in it.

    Raises OSError if a file cannot be read or written, ObjectsAway, and what `connect_log` raises.
    """
    with open_source(settings) as source, write_archive(path, source.describe()) as archive:
        return copy_service(source, archive, WrittenColdPart(source, archive), progress)


def copy_service(source: Source, archive: ArchiveWriter, cold: ColdPart, progress: Progress) -> int:
    """Write the lines of a backup and copy its cold part; returns the number of its streams."""
    settings, client, keys = source.settings, source.client, source.keys
    for file in settings.kept_files:
        # If there is no admin token in the directory, somebody has removed it.
        if file == settings.secret_file or file.exists():
            archive.add(make_file_line(file, file.read_bytes()))
    choice = SeenKeys(keys.choice)

    def look(done: int, total: int) -> None:
        choice.look()
        progress(done, total)

    versions = copy_streams(source.log, archive, cold, look)
    copy_feeds(source.log, archive, versions, cold.feed_starts)
    cold.copy_uploads(versions)
    archive.add({"webhooks": Webhooks(client, now).export()})
    archive.add({"mail": export_subscriptions(client)})
    for of_player, parts in AccountStore(client, read_service_secret(keys.secret)).export():
        archive.add({"account": of_player, "parts": parts})
    choice.look()
    if choice.keys and not keys.choice.given:
        archive.add(make_file_line(settings.choice_key_file, join_keys(choice.keys)))
    return len(versions)


def make_file_line(file: Path, data: bytes) -> Line:
    """The line of a file of the data directory; if a file occurs again, the later line counts."""
    return {"file": file.name, "data": base64.b64encode(data).decode()}


def copy_streams(
    log: TieredEventLog, archive: ArchiveWriter, cold: ColdPart, progress: Progress
) -> dict[StreamId, int]:
    """Copy every stream; returns the version at which each was copied."""
    versions: dict[StreamId, int] = {}
    for turn in sorted({0, *TURNS.values()}):
        # Listed again, because what the last ones refer to may have been added meanwhile.
        listed = stream_ids(log.redis)
        total = len(versions) + sum(stream not in versions for stream in listed)
        for stream in sorted((s for s in listed if TURNS.get(s.kind, 0) == turn), key=str):
            line, version = stream_line(log.redis, stream)
            if version or line["receipts"] or line["aside"]:
                archive.add(line)
                versions[stream] = version
            progress(len(versions), total)
        if turn == TURNS[games.KIND]:
            # Including those that have left Redis since they were listed.
            for stream, version in cold.copy_streams(dict(versions)):
                versions[stream] = version
                progress(len(versions), max(total, len(versions)))
    return versions


def archived_lines(
    log: TieredEventLog, copied: Mapping[StreamId, int]
) -> Iterator[tuple[Line, StreamId, int]]:
    """Yield lines of archived streams that were not copied, each with its version."""
    missing = [stream for stream in log.streams(games.KIND) if not copied.get(stream)]
    for start in range(0, len(missing), PAGE):
        places = log.archive.find(missing[start : start + PAGE])
        for stream, frozen in log.archive.load(list(places.values())).items():
            line = {
                "stream": str(stream),
                "entries": [
                    [event.stored_name, event.data, str(event.at), event.by, digest]
                    for event, digest in zip(frozen.events, frozen.digests, strict=True)
                ],
                "receipts": dict(sorted(frozen.receipts.items())),
                "aside": dict(sorted(log.archive.attributes(places[stream]).items())),
                "archived": True,
            }
            yield line, stream, frozen.version


def stream_ids(log: RedisEventLog) -> set[StreamId]:
    """Every stream, including those that have receipts but no events."""
    keys = map(KEY.fullmatch, log.client.scan_iter(match="movelog:{p*", count=1000))
    return {StreamId(key[1].decode(), key[2].decode()) for key in keys if key}


def stream_line(log: RedisEventLog, stream: StreamId) -> tuple[Line, int]:
    """The line of a stream as it is at this moment, and its version."""
    key = log.key(stream)
    found: Any = log.client.eval(STREAM, 3, key, f"{key}:receipts", f"{key}:aside")
    entries, receipts, attributes = found
    line = {
        "stream": str(stream),
        "entries": [list_entry_values(_pair_up(fields)) for _, fields in entries],
        "receipts": _decode(_pair_up(receipts)),
        "aside": _decode(_pair_up(attributes)),
    }
    return line, len(entries)


ENTRY: Final = (b"e", b"d", b"t", b"b")
"""The text fields of a log entry in the order in which a backup has them, before its digest
(`service/log/append.lua`)."""

DIGEST: Final = b"h"


def list_entry_values(fields: Mapping[bytes, bytes]) -> list[str]:
    """A log entry as a backup has it, its digest in hex."""
    return [*(fields[name].decode() for name in ENTRY), fields[DIGEST].hex()]


def copy_feeds(
    log: TieredEventLog,
    archive: ArchiveWriter,
    versions: Mapping[StreamId, int],
    starts: Mapping[int, str],
) -> None:
    """Copy the pointers after these positions to what was copied; archived pages are marked."""
    for partition, mark in log.feeds.marks(range(log.partitions)).items():
        for is_archived, page in read_feed_pages(log, partition, starts[partition], mark):
            # An append is one pointer, and its stream's copy has all of it or nothing.
            kept = [p for p in page if p.last <= versions.get(p.stream, 0)]
            line: Line = {"feed": partition, "pointers": [list_pointer_values(p) for p in kept]}
            archive.add(line | {"archived": True} if is_archived else line)


def read_feed_pages(
    log: EventLog, partition: int, after: str, mark: str
) -> Iterator[tuple[bool, list[Pointer]]]:
    """A partition's feed, page by page, each with whether it ends at or before the mark."""
    while page := log.feed(partition, after, PAGE):
        trimmed = [p for p in page if parse_position(p.position) <= parse_position(mark)]
        if trimmed:
            yield True, trimmed
        if rest := page[len(trimmed) :]:
            yield False, rest
        after = page[-1].position


def list_pointer_values(pointer: Pointer) -> list[Any]:
    """A pointer as a backup has it."""
    stream, audience = str(pointer.stream), list(pointer.audience)
    return [pointer.position, stream, pointer.first, pointer.last, audience]


def _pair_up(flat: Sequence[bytes]) -> dict[bytes, bytes]:
    """Alternating names and values, as a mapping by name."""
    return dict(zip(flat[::2], flat[1::2], strict=True))


def _decode(values: Mapping[bytes, bytes]) -> dict[str, str]:
    return {name.decode(): values[name].decode() for name in sorted(values)}
