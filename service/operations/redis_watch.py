"""Watches the embedded server: what it loads at the start, the room on its disk, what was erased.

A server that syncs every write exits when its disk is full, since it can no longer guarantee
anything. So before that it is told to refuse what needs room, by the only means that every version
has and that does not affect reading: a `maxmemory` that is reached.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from time import monotonic
from typing import Any, Final

import redis

from service.operations.redis_loading import Loading, log_sizes
from service.operations.server_program import ServerProgram
from service.storage.capacity import describe_full_storage, measure_spare_room, reserve
from service.storage.erasures import rewrite_without_erased

LEAST: Final = "1"
"""The `maxmemory`, in bytes, of a server that is to refuse writes."""

UNBOUNDED: Final = "0"

LAST: Final = 1 << 20
"""Free bytes of a disk below which nothing is written at all, not even a deletion."""

NO_WRITES: Final = {True: "1", False: "0"}
"""`min-replicas-to-write` by whether a server, which never has a replica, is to refuse deletions
too: with `maxmemory` reached it still accepts them, and they are the way to make room."""

REWRITE: Final = {True: "100", False: "0"}
"""`auto-aof-rewrite-percentage` by whether a rewritten log has room beside the old one."""

LOOK: Final = 60.0
"""Seconds between two looks whether something was erased."""

PROBE: Final = 64 << 10
"""Bytes that are written to test whether a disk has room."""


class Attendant:
    """Looks after a server on the log in `files`, which listens at `url`."""

    def __init__(
        self,
        files: Path,
        messages: Path,
        url: str,
        program: ServerProgram,
        say: Callable[[str], None],
    ) -> None:
        self.files = files
        self.say = say
        self._messages = messages
        self._url = url
        self._program = program
        self._loading: Loading | None = None
        self._refusing = False
        self._frozen = False
        self._rewriting = True
        self._usual = UNBOUNDED
        self._looked_at = -LOOK

    def prepare(self) -> tuple[str, ...]:
        """Further arguments for a server that is started now."""
        self._loading = Loading(self.files, self._messages, self._program)
        self._usual = UNBOUNDED
        spare = measure_spare_room(self.files)
        self._frozen = is_exhausted(self.files)
        self._rewriting = self._may_rewrite(spare)
        if spare < 0 and not self._refusing:
            self._tell_refusal()
        self._refusing = spare < 0
        settings = {
            "maxmemory": LEAST if self._refusing else UNBOUNDED,
            "min-replicas-to-write": NO_WRITES[self._frozen],
            "auto-aof-rewrite-percentage": REWRITE[self._rewriting],
        }
        return tuple(part for name, value in settings.items() for part in (f"--{name}", value))

    def watch(self) -> None:
        """Report what the server has dropped; let it write and rewrite as far as there is room."""
        if self._loading is not None:
            for sentence in self._loading.describe_dropped():
                self.say(sentence)
            self._loading = None
        spare = measure_spare_room(self.files)
        try:
            # Writing resumes with somewhat more than the reserve, to avoid switching to and fro.
            needed = reserve(self.files) // 2 if self._refusing else 0
            if self._refusing != (spare < needed):
                self._turn()
            if self._frozen != is_exhausted(self.files):
                self._configure("min-replicas-to-write", NO_WRITES[not self._frozen])
                self._frozen = not self._frozen
            if self._rewriting != self._may_rewrite(spare):
                self._configure("auto-aof-rewrite-percentage", REWRITE[not self._rewriting])
                self._rewriting = not self._rewriting
            if self._rewriting and monotonic() - self._looked_at >= LOOK:
                self._looked_at = monotonic()
                self._rewrite()
        except redis.RedisError:
            # It is shutting down or busy, and is asked again in a second.
            return

    def is_excused(self) -> bool:
        """Whether the server ended for lack of room; raises DamagedLog, WrittenByNewer."""
        if self._loading is not None:
            self._loading.refuse_damage()
        return is_full(self.files)

    def _turn(self) -> None:
        """Let the server refuse writes, or accept them again."""
        if self._refusing:
            self._configure("maxmemory", self._usual)
            self.say("there is room again: writes are accepted")
        else:
            with closing(redis.Redis.from_url(self._url, socket_timeout=1)) as client:
                known: Any = client.config_get("maxmemory")
            self._usual = known["maxmemory"]
            self._configure("maxmemory", LEAST)
            self._tell_refusal()
        self._refusing = not self._refusing

    def _tell_refusal(self) -> None:
        self.say(
            f"the disk of {self.files} is full except for a reserve: writes are refused until"
            " there is room; reading still works"
        )

    def _rewrite(self) -> None:
        with closing(redis.Redis.from_url(self._url, socket_timeout=1)) as client:
            rewrite_without_erased(client, time.time_ns() // 1_000_000)

    def _configure(self, name: str, value: str) -> None:
        with closing(redis.Redis.from_url(self._url, socket_timeout=1)) as client:
            client.config_set(name, value)

    def _may_rewrite(self, spare: int) -> bool:
        """Whether there is room for a second log beside the present one."""
        return spare > sum(log_sizes(self.files).values())


def is_exhausted(folder: Path) -> bool:
    """Whether the folder's disk has no room even for a deletion's entry in the log."""
    return shutil.disk_usage(folder).free < LAST


def is_full(folder: Path) -> bool:
    """Whether the folder's disk has no more than the reserve, or takes nothing from this user."""
    if measure_spare_room(folder) < 0:
        return True
    try:
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(PROBE))
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as error:
        if describe_full_storage(error) is None:
            raise
        return True
    return False
