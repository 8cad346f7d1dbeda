"""A data directory that another version of the server wrote."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest
import redis

from service.composition.service import compose
from service.operations.errors import WrittenByNewer
from service.operations.log_upgrade import take_over
from service.operations.reachable_store import reach_store
from service.operations.redis_server import RedisServer
from service.operations.server_program import ServerProgram, find_server_program
from service.settings import Settings, read_settings

GAME = "zpb52jyxd4xit2cf"
"""A game of Kerd with secret choices and six plies, in a log that Redis 6.2.14 wrote."""

REDIS_6 = ServerProgram(Path("redis-server"), "Redis", (6, 2, 14))
VALKEY_9 = ServerProgram(Path("valkey-server"), "Valkey", (9, 1, 2))


@pytest.fixture
def old(data: Path, tmp_path: Path) -> Settings:
    """A data directory that was used with Redis 6.2.14."""
    shutil.copytree(data / "stores" / "redis-6.2", tmp_path / "data")
    return read_settings({"MOVELOG_DATA_DIR": str(tmp_path / "data")})


def test_a_log_of_redis_6_is_read_and_the_old_file_kept(
    old: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    log = old.data_dir / "redis" / "appendonly.aof"
    before = log.read_bytes()
    for _ in range(2):
        with reach_store(old) as settings:
            service = compose(settings)
            assert service.games.load(GAME).plies == 6
            service.store.set("written", "since")
            service.store.close()
    told = capsys.readouterr().err
    if find_server_program().keeps_folder:
        (kept,) = log.parent.glob("appendonly.aof.kept-*")
        assert kept.read_bytes() == before
        assert told.count("no older server can read it from now on") == 1
        assert str(kept) in told
        assert not log.exists()
    else:
        assert told == ""
        assert log.read_bytes().startswith(before)


def test_the_old_file_is_kept_before_the_server_may_touch_it(tmp_path: Path) -> None:
    said: list[str] = []
    log = tmp_path / "appendonly.aof"
    log.write_bytes(b"*1")
    # The second time is as after a crash in between.
    for _ in range(2):
        take_over(tmp_path, VALKEY_9, said.append)
        (kept,) = tmp_path.glob("*.kept-*")
        assert kept.samefile(log)
    assert f"{log} was written by Redis 6 or older and is taken over by Valkey 9.1.2" in said[0]


@pytest.mark.parametrize("number", [errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS])
def test_where_files_cannot_be_linked_the_old_one_is_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def link(old: Path, new: Path) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "link", link)
    log = tmp_path / "appendonly.aof"
    log.write_bytes(b"*1")
    for _ in range(2):
        take_over(tmp_path, VALKEY_9, lambda said: None)
    (kept,) = tmp_path.glob("*.kept-*")
    assert not kept.samefile(log)
    assert kept.read_bytes() == b"*1"
    assert sorted(tmp_path.iterdir()) == sorted([log, kept])


def test_a_link_that_fails_for_want_of_room_stops_the_takeover(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def link(old: Path, new: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "link", link)
    (tmp_path / "appendonly.aof").write_bytes(b"*1")
    with pytest.raises(OSError, match="No space left"):
        take_over(tmp_path, VALKEY_9, lambda said: None)
    assert list(tmp_path.glob("*.kept-*")) == []


def test_an_old_server_does_not_begin_an_empty_log_beside_a_newer_one(tmp_path: Path) -> None:
    server = RedisServer(tmp_path, tmp_path / "redis.sock", "always")
    folder = server.files / "appendonlydir"
    folder.mkdir(parents=True)
    (folder / "appendonly.aof.manifest").touch()
    with pytest.raises(WrittenByNewer) as refused:
        take_over(server.files, REDIS_6, print)
    assert f"{folder} was written by Redis 7, Valkey or newer, which Redis 6.2.14" in str(
        refused.value
    )


def test_a_newer_log_says_by_which_server_it_was_written(tmp_path: Path) -> None:
    program = find_server_program()
    if not program.keeps_folder:
        pytest.skip(f"{program} has no folder of log files")
    embedded = read_settings({"MOVELOG_DATA_DIR": str(tmp_path)})
    with reach_store(embedded) as settings, redis.Redis.from_url(settings.redis_url) as client:
        client.set("kept", "yes")
    with pytest.raises(WrittenByNewer) as refused:
        take_over(tmp_path / "redis", REDIS_6, print)
    assert refused.value.writer == str(program)
    assert "put that server or a newer one first on the PATH" in str(refused.value)
