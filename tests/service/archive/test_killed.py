"""A process that is killed between any two steps of archiving games, trimming or putting back."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from service.archive.tiered import TieredEventLog
from service.log.redis import RedisEventLog
from service.log.values import StreamId
from tests.service.archive.support import archive_all, open_archive, trim_all
from tests.service.archive.test_archiving import everything, play
from tests.service.archive.test_feeds import read_all
from tests.service.log.support import CODEC, notes, request
from tests.service.redis_server import RedisServer

PROGRAM = """
import os, signal, sys
from pathlib import Path
import redis
from service.archive.archiver import Archiver
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
else:
    log.append(request(notes("more"), 5, StreamId("game", "k0")))
"""
STREAMS = [StreamId("game", f"k{n}") for n in range(3)]


def run_killed(server: RedisServer, folder: Path, step: str, what: str) -> None:
    """Run the program until it kills itself."""
    command = [sys.executable, "-c", PROGRAM, server.url, str(folder), step, what]
    ended = subprocess.run(command, timeout=120, capture_output=True, text=True)
    assert ended.returncode == -signal.SIGKILL, ended.stderr


def reopen(server: RedisServer, folder: Path) -> TieredEventLog:
    """The log as another process finds it."""
    return TieredEventLog(RedisEventLog(server.client(), CODEC), open_archive(folder))


@pytest.mark.parametrize(
    "step",
    [
        "copied:1",
        "attributes:1",
        "segment:1",
        "read back:1",
        "noted:1",
        "removed:1",
        "removed:2",
        "removed:3",
    ],
)
def test_a_kill_while_archiving_loses_and_doubles_nothing(
    redis_server: RedisServer, tmp_path: Path, step: str
) -> None:
    log = reopen(redis_server, tmp_path)
    for stream in STREAMS:
        play(log, stream)
    before = [everything(log, stream) for stream in STREAMS]
    run_killed(redis_server, tmp_path, step, "archive")
    redis_server.client().delete("movelog:{archive}:lock")
    log = reopen(redis_server, tmp_path)
    assert [everything(log, stream) for stream in STREAMS] == before
    assert sorted(log.streams("game"), key=str) == STREAMS
    archive_all(log)
    assert log.redis.streams("game") == []
    assert [everything(log, stream) for stream in STREAMS] == before
    for stream in STREAMS:
        assert log.append(request(notes("more"), 5, stream)) == 6


@pytest.mark.parametrize("step", ["found:1", "loaded:1", "put back:1"])
def test_a_kill_while_a_game_comes_back_loses_and_doubles_nothing(
    redis_server: RedisServer, tmp_path: Path, step: str
) -> None:
    log = reopen(redis_server, tmp_path)
    for stream in STREAMS:
        play(log, stream)
    before = [everything(log, stream) for stream in STREAMS]
    archive_all(log)
    run_killed(redis_server, tmp_path, step, "append")
    log = reopen(redis_server, tmp_path)
    # The append itself was never sent.
    assert [everything(log, stream) for stream in STREAMS] == before
    assert log.append(request(notes("more"), 5, STREAMS[0])) == 6
    assert sorted(log.streams("game"), key=str) == STREAMS


@pytest.mark.parametrize(
    "step",
    ["feed copied:1", "segment:1", "read back:1", "noted:1", "trimmed:1", "trimmed:2"],
)
@pytest.mark.parametrize("more", [False, True])
def test_a_kill_while_trimming_loses_and_doubles_nothing(
    redis_server: RedisServer, tmp_path: Path, step: str, more: bool
) -> None:
    log = reopen(redis_server, tmp_path)
    for stream in STREAMS:
        play(log, stream)
    run_killed(redis_server, tmp_path, step, "trim")
    redis_server.client().delete("movelog:{archive}:lock")
    log = reopen(redis_server, tmp_path)
    if more:
        # What the next run writes is another chunk than the one that was left behind.
        for stream in STREAMS:
            log.append(request(notes("more"), 5, stream))
    count = 18 if more else 15
    pointers = read_all(log)
    assert sum(map(len, pointers.values())) == count
    trim_all(log)
    assert read_all(log) == pointers
    assert all(log.redis.feed(p) == found[-1:] for p, found in pointers.items())
    # Also where a directory is made of all that was left behind.
    archive = open_archive(tmp_path)
    archive.directory.clear()
    archive.feeds.make_directory(log.feeds.identify_log(), lambda done, total: None)
    log = reopen(redis_server, tmp_path)
    assert read_all(log) == pointers
    for partition, found in pointers.items():
        for done, pointer in enumerate(found, 1):
            assert log.feed(partition, pointer.position) == found[done:]
