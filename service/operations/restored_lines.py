"""The lines of a backup, put where they belong."""

from __future__ import annotations

import base64
from collections.abc import Callable, Collection, Iterable
from typing import Any, Final

from service.accounts.store import AccountStore
from service.archive.redis_tier import RedisTier
from service.composition.service import now
from service.log.redis import RedisEventLog
from service.log.values import StreamId
from service.mail.store import restore_subscriptions
from service.operations.archived_streams import ArchivedStreams
from service.operations.backup import DIGEST, ENTRY, Progress
from service.operations.backup_file import Line
from service.operations.backup_imports import RestoredImports
from service.operations.data_dir import make_private, write_private
from service.operations.restore_target import Target
from service.operations.restored_cold import RestoredColdPart
from service.operations.restored_feeds import RestoredFeeds
from service.secrets.key_source import find_key_sources
from service.secrets.service_secret import read_service_secret
from service.settings import Settings
from service.webhooks.store import Webhooks

BATCH: Final = 100
"""The number of lines written in one round trip."""


class RestoredLines:
    """Puts each line of a backup where it belongs.

    What goes into the log's store waits in `pipeline`.
    """

    def __init__(self, target: Target, log: RedisEventLog, imports: RestoredImports) -> None:
        self.log = log
        # No transaction spans the nodes of a cluster.
        self.pipeline: Any = target.keeping.pipeline(transaction=not target.is_apart)
        self._target = target
        self._keys = find_key_sources(target.settings)
        self._imports = imports
        tier = RedisTier(log)
        self._archived = ArchivedStreams(tier, target.archive)
        self._feeds = RestoredFeeds(tier, target.archive)

    def add_cold(
        self,
        cold: RestoredColdPart,
        hot: Collection[StreamId],
        check_lock: Callable[[], None],
        progress: Progress,
    ) -> int:
        """Restore what is not in lines; returns how many streams it has that are not in `hot`."""

        def report(done: int, total: int) -> None:
            check_lock()
            progress(done, total)

        return cold.restore(hot, self._archived, self._feeds, self._imports, report)

    def add_all(
        self, lines: Iterable[Line], total: int, check_lock: Callable[[], None], progress: Progress
    ) -> int:
        """Add all lines, which are `total`; returns how many streams they have."""
        streams = 0
        for number, line in enumerate(lines, 1):
            if number % BATCH == 0:
                check_lock()
                self.pipeline.execute()
                progress(number, total)
            self._add(line)
            streams += "stream" in line
        return streams

    def finish(self) -> None:
        """Store what was not complete before, except for the rest of the pipeline."""
        self._imports.finish()
        self._archived.finish()
        self._feeds.finish(self.pipeline)

    def _add(self, line: Line) -> None:
        client = self._target.client
        if "file" in line:
            restore_file(self._target.settings, line)
        elif "stream" in line and line.get("archived"):
            self._archived.add(line)
        elif "stream" in line:
            add_stream(self.pipeline, self.log, line)
        elif "feed" in line:
            self._feeds.add(self.pipeline, line)
        elif "import" in line:
            self._imports.restore_piece(line)
        elif "mail" in line:
            restore_subscriptions(client, line["mail"])
        elif "account" in line:
            # Players are found by the service's secret, which was restored before.
            accounts = AccountStore(client, read_service_secret(self._keys.secret))
            accounts.restore(line["account"], line["parts"])
        else:
            Webhooks(client, now).restore(line["webhooks"])


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
