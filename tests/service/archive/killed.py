"""Works on an archive in a process that kills itself at a step, and opens the log it leaves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import redis

from service.archive.archiver import Archiver
from service.archive.collector import Collector
from service.archive.feed_trimmer import FeedTrimmer
from service.archive.redis_tier import LOCK
from service.archive.tiered import TieredEventLog
from service.log.redis import RedisEventLog
from service.log.values import StreamId
from tests.apart import KILLED, kill_self, run_apart
from tests.service.archive.support import open_archive
from tests.service.archive.test_archiving import everything, play
from tests.service.log.support import CODEC, notes, request
from tests.service.redis_server import RedisServer

STREAMS = [StreamId("game", f"k{n}") for n in range(3)]


def run_killed(server: RedisServer, folder: Path, step: str, what: str) -> None:
    """Work on the archive in a process that kills itself, then release the lock that it held.

    `step` names a step and its occurrence: `stored:2` is the second `stored`. `what` is `archive`,
    `trim`, `collect` or `append`.
    """
    assert run_apart(work, server.url, folder, step, what) == KILLED
    if what != "append":
        # The lock would expire by itself only after minutes. An append takes none.
        server.client().delete(LOCK)


def work(url: str, folder: Path, last: str, what: str) -> None:
    """Work on the archive, up to the step at which this process kills itself."""
    steps: list[str] = []

    def step(done: str) -> None:
        steps.append(done)
        if last == f"{done}:{steps.count(done)}":
            kill_self()

    hot = RedisEventLog(redis.Redis.from_url(url), CODEC)
    log = TieredEventLog(hot, open_archive(folder), step)
    if what == "archive":
        list(Archiver(log.tier, log.archive, lambda: 1000, step).run(hot.streams("game")))
    elif what == "trim":
        trimmer = FeedTrimmer(log.tier, log.archive, lambda: 1000, step, 1)
        list(trimmer.run(log.feed_positions(), 1 << 60))
    elif what == "collect":
        Collector(log.tier, log.archive, lambda: 1000, 0, step).run()
    else:
        log.append(request(notes("more"), 5, StreamId("game", "k0")))


def reopen(server: RedisServer, folder: Path) -> TieredEventLog:
    """The log as another process finds it."""
    return TieredEventLog(RedisEventLog(server.client(), CODEC), open_archive(folder))


def play_all(server: RedisServer, folder: Path) -> TieredEventLog:
    """A log with all streams, none of which is archived."""
    log = reopen(server, folder)
    for stream in STREAMS:
        play(log, stream)
    return log


def see_all(log: TieredEventLog) -> list[Any]:
    """Everything that can be read of all streams."""
    return [everything(log, stream) for stream in STREAMS]
