"""A process that works on an archive and kills itself after a step, and the log it leaves."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from service.archive.redis_tier import LOCK
from service.archive.tiered import TieredEventLog
from service.log.redis import RedisEventLog
from service.log.values import StreamId
from tests.service.archive.support import open_archive
from tests.service.archive.test_archiving import everything, play
from tests.service.log.support import CODEC
from tests.service.redis_server import RedisServer

PROGRAM = """
import os, signal, sys
from pathlib import Path
import redis
from service.archive.archiver import Archiver
from service.archive.collector import Collector
from service.archive.feed_trimmer import FeedTrimmer
from service.archive.tiered import TieredEventLog
from service.log.redis import RedisEventLog
from service.log.values import StreamId
from tests.service.archive.support import open_archive
from tests.service.log.support import CODEC, notes, request

url, folder, wanted, what = sys.argv[1:]
steps = []

def step(done):
    steps.append(done)
    if wanted == f"{done}:{steps.count(done)}":
        os.kill(os.getpid(), signal.SIGKILL)

log = TieredEventLog(
    RedisEventLog(redis.Redis.from_url(url), CODEC), open_archive(Path(folder)), step
)
if what == "archive":
    list(Archiver(log.tier, log.archive, lambda: 1000, step).run(log.redis.streams("game")))
elif what == "trim":
    trimmer = FeedTrimmer(log.tier, log.archive, lambda: 1000, step, 1)
    list(trimmer.run(log.feed_positions(), 1 << 60))
elif what == "collect":
    Collector(log.tier, log.archive, lambda: 1000, 0, step).run()
else:
    log.append(request(notes("more"), 5, StreamId("game", "k0")))
"""
STREAMS = [StreamId("game", f"k{n}") for n in range(3)]


def run_killed(server: RedisServer, folder: Path, step: str, what: str) -> None:
    """Run the program until it kills itself; the lock that it held is over then."""
    command = [sys.executable, "-c", PROGRAM, server.url, str(folder), step, what]
    ended = subprocess.run(command, timeout=120, capture_output=True, text=True)
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    if what != "append":
        # The lock that it held would be over in some minutes. Whoever appends takes none.
        server.client().delete(LOCK)


def reopen(server: RedisServer, folder: Path) -> TieredEventLog:
    """The log as another process finds it."""
    return TieredEventLog(RedisEventLog(server.client(), CODEC), open_archive(folder))


def play_all(server: RedisServer, folder: Path) -> TieredEventLog:
    """A log with all streams, of which none is archived."""
    log = reopen(server, folder)
    for stream in STREAMS:
        play(log, stream)
    return log


def see_all(log: TieredEventLog) -> list[Any]:
    """What all streams have."""
    return [everything(log, stream) for stream in STREAMS]
