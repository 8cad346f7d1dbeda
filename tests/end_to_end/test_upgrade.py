"""The first start on a data directory of the last version that kept the lists in Redis."""

from __future__ import annotations

import json
import lzma
import tarfile
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest
import redis

from service.projection.reaction_progress import REACTED
from service.projection.takeover import OLD_INDEXES
from tests.end_to_end.conftest import Start
from tests.end_to_end.exports import Reader
from tests.end_to_end.running import Running, kill, movelog
from tests.end_to_end.test_older_archives import compare
from tests.waiting import eventually


@pytest.fixture
def kept(data: Path, tmp_path: Path) -> dict[str, Any]:
    """That version's exports; its data directory is unpacked as `old`."""
    folder = data / "archives" / "2.2"
    with tarfile.open(folder / "store.tar.xz") as archive:
        archive.extractall(tmp_path / "old", filter="data")
    (tmp_path / "old").chmod(0o700)
    exports: dict[str, Any] = json.loads(lzma.decompress((folder / "exports.json.xz").read_bytes()))
    return exports


def index_keys(running: Running) -> set[bytes]:
    """The Redis keys of the old lists."""
    store = redis.Redis(unix_socket_path=str(running.data_dir / "redis.sock"))
    with store:
        return set(store.scan_iter(match=f"{OLD_INDEXES}*"))


def check(running: Running, kept: dict[str, Any]) -> None:
    """Every export is unchanged, and the old lists are gone."""
    compare(kept, Reader(running.url, kept["tokens"]))
    eventually(lambda: index_keys(running) <= {REACTED.encode()}, "the old lists are gone")
    [_] = (running.data_dir / "archive").glob("*.sqlite")


def test_an_archive_is_taken_over_at_the_first_start(start: Start, kept: dict[str, Any]) -> None:
    running = start("old")
    check(running, kept)
    eventually(lambda: "the lists are complete" in running.log(), "that is told")
    games = len(running.games())
    assert f"the lists are being built from the log: {games} of {games} games" in running.log()
    running.restart()
    check(running, kept)
    assert running.log().count("the lists are being built") == 1


def test_a_projector_that_is_killed_during_it_begins_again(
    start: Start, kept: dict[str, Any]
) -> None:
    running = start("old")
    random = Random(2)
    for _ in range(5):
        pid = running.pid("projector")
        # The projector takes a while to start, then a moment to build the lists.
        time.sleep(random.uniform(0.2, 2.0))
        kill(pid)
    check(running, kept)


def test_a_rebuild_by_hand_takes_it_over_as_well(
    start: Start, kept: dict[str, Any], tmp_path: Path
) -> None:
    done = movelog("rebuild", "--data-dir", tmp_path / "old")
    assert (done.returncode, done.stderr.count("movelog: ")) == (0, 1), done.stderr
    assert done.stdout.endswith(" games listed\n")
    running = start("old")
    check(running, kept)
    assert "the lists are being built" not in running.log()
