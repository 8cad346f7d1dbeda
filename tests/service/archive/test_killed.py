"""A process is killed between any two steps of archiving games, trimming or putting back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.service.archive.killed import STREAMS, play_all, reopen, run_killed, see_all
from tests.service.archive.support import archive_all, open_archive, trim_all
from tests.service.archive.test_feeds import read_all
from tests.service.log.support import notes, request
from tests.service.redis_server import RedisServer

pytestmark = pytest.mark.slow


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
    log = play_all(redis_server, tmp_path)
    before = see_all(log)
    run_killed(redis_server, tmp_path, step, "archive")
    log = reopen(redis_server, tmp_path)
    assert see_all(log) == before
    assert sorted(log.streams("game"), key=str) == STREAMS
    archive_all(log)
    assert log.redis.streams("game") == []
    assert see_all(log) == before
    for stream in STREAMS:
        assert log.append(request(notes("more"), 5, stream)) == 6


@pytest.mark.parametrize("step", ["found:1", "loaded:1", "put back:1"])
def test_a_kill_while_a_game_comes_back_loses_and_doubles_nothing(
    redis_server: RedisServer, tmp_path: Path, step: str
) -> None:
    log = play_all(redis_server, tmp_path)
    before = see_all(log)
    archive_all(log)
    run_killed(redis_server, tmp_path, step, "append")
    log = reopen(redis_server, tmp_path)
    # The append itself was never sent.
    assert see_all(log) == before
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
    log = play_all(redis_server, tmp_path)
    run_killed(redis_server, tmp_path, step, "trim")
    log = reopen(redis_server, tmp_path)
    if more:
        # The next run writes another chunk than the one left behind.
        for stream in STREAMS:
            log.append(request(notes("more"), 5, stream))
    count = 18 if more else 15
    pointers = read_all(log)
    assert sum(map(len, pointers.values())) == count
    trim_all(log)
    assert read_all(log) == pointers
    assert all(log.redis.feed(p) == found[-1:] for p, found in pointers.items())
    # The same holds for a directory rebuilt from all that was left behind.
    archive = open_archive(tmp_path)
    archive.directory.clear()
    archive.feeds.make_directory(log.feeds.identify_log(), lambda done, total: None)
    log = reopen(redis_server, tmp_path)
    assert read_all(log) == pointers
    for partition, found in pointers.items():
        for done, pointer in enumerate(found, 1):
            assert log.feed(partition, pointer.position) == found[done:]
