"""A log whose files are damaged: reported at the start, and repaired by the handbook's steps."""

from __future__ import annotations

from pathlib import Path
from shutil import rmtree

import pytest
import redis

from service.cli.commands import main
from service.operations import repair
from service.operations.data_dir import lock_data_dir
from service.operations.errors import (
    AlreadyServed,
    CannotRepair,
    DamagedLog,
    NothingToRepair,
    WrittenByNewer,
)
from service.operations.reachable_store import reach_store
from service.operations.server_program import find_server_program
from service.secrets.key_source import KeyFile
from service.secrets.service_secret import read_service_secret
from service.settings import Settings
from tests.service.operations.log_files import newest_log_file
from tests.waiting import eventually

pytestmark = pytest.mark.slow

KEYS = 50


@pytest.fixture
def written(embedded: Settings) -> Settings:
    """A data directory whose log has KEYS keys, `k0` first."""
    with reach_store(embedded) as settings, redis.Redis.from_url(settings.redis_url) as client:
        for number in range(KEYS):
            client.set(f"k{number}", "v" * 50)
    read_service_secret(KeyFile(embedded.secret_file))
    return embedded


def keys(settings: Settings) -> int:
    """How many keys the server loads, which must be the first ones."""
    with reach_store(settings) as reached, redis.Redis.from_url(reached.redis_url) as client:
        names = {name.decode() for name in client.scan_iter()}
    assert names == {f"k{number}" for number in range(len(names))}
    return len(names)


def files(settings: Settings) -> Path:
    return settings.data_dir / "redis"


def damage_middle(settings: Settings) -> Path:
    """Overwrite some bytes in the middle of the log."""
    log = newest_log_file(files(settings))
    data = bytearray(log.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 30] = b"x" * 30
    log.write_bytes(bytes(data))
    return log


def test_a_truncated_log_is_told_with_the_bytes_that_were_dropped(
    written: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    log = newest_log_file(files(written))
    size = log.stat().st_size - 7
    with log.open("r+b") as file:
        file.truncate(size)
    assert keys(written) == KEYS - 1
    dropped = size - log.stat().st_size
    assert dropped > 0
    told = capsys.readouterr().err
    assert f"{log.name} ended in the middle of an entry: the last {dropped} of its {size}" in told
    assert keys(written) == KEYS - 1
    assert capsys.readouterr().err == ""


def test_a_damaged_log_is_told_with_what_to_do_and_left_alone(written: Settings) -> None:
    log = damage_middle(written)
    before = log.read_bytes()
    with pytest.raises(DamagedLog) as failure, reach_store(written):
        pass
    told = str(failure.value)
    assert f"the log in {files(written)} is damaged (Bad file format reading the append" in told
    assert "movelog repair" in told
    assert log.read_bytes() == before


def test_the_steps_of_the_handbook_bring_back_what_can_be_read(
    written: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    log = damage_middle(written)
    before = log.read_bytes()
    place = ["--data-dir", str(written.data_dir)]
    assert main(["repair", *place]) == 0
    told = capsys.readouterr().out
    assert f"of {len(before)} bytes can be read" in told
    assert "Nothing was changed" in told
    assert log.read_bytes() == before
    assert main(["repair", "--cut", *place]) == 0
    (kept,) = written.data_dir.glob("redis.damaged-*")
    assert str(kept) in capsys.readouterr().out
    assert (kept / log.relative_to(files(written))).read_bytes() == before
    assert KEYS // 3 < keys(written) < KEYS
    assert main(["repair", *place]) == 0
    assert main(["repair", "--cut", *place]) == 0
    assert capsys.readouterr().out == "the whole log can be read\n" * 2


def test_a_damaged_snapshot_cannot_be_repaired(written: Settings) -> None:
    with reach_store(written) as settings, redis.Redis.from_url(settings.redis_url) as client:
        client.bgrewriteaof()
        eventually(lambda: not client.info("persistence")["aof_rewrite_in_progress"])
    log = next(files(written).glob("appendonlydir/*.base.rdb"), files(written) / "appendonly.aof")
    data = bytearray(log.read_bytes())
    data[300:330] = bytes(30)
    log.write_bytes(bytes(data))
    with pytest.raises(DamagedLog), reach_store(written):
        pass
    with pytest.raises(CannotRepair) as refused:
        repair.examine(written)
    assert str(refused.value).startswith(f"{log} cannot be repaired: it is a damaged snapshot")
    with pytest.raises(CannotRepair):
        repair.cut(written)


def test_damage_with_more_of_the_log_behind_it_cannot_be_cut_off(written: Settings) -> None:
    if not find_server_program().keeps_folder:
        pytest.skip("this server keeps one file")
    log = damage_middle(written)
    behind = log.with_name("appendonly.aof.2.incr.aof")
    behind.touch()
    manifest = log.with_name("appendonly.aof.manifest")
    manifest.write_text(f"{manifest.read_text()}file {behind.name} seq 2 type i\n")
    with pytest.raises(CannotRepair) as refused:
        repair.cut(written)
    assert str(refused.value).startswith(f"{log} cannot be repaired: later files continue")


def test_a_log_that_is_not_there_is_no_damaged_one(
    written: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MOVELOG_DATA_DIR", str(written.data_dir))
    monkeypatch.setenv("MOVELOG_REDIS_URL", "redis://127.0.0.1:1")
    for options in ([], ["--cut"]):
        assert main(["repair", *options]) == 1
        assert capsys.readouterr().err.startswith(
            "movelog: MOVELOG_REDIS_URL names a Redis of your own: check its files on its machine"
        )
    monkeypatch.delenv("MOVELOG_REDIS_URL")
    rmtree(files(written))
    with pytest.raises(NothingToRepair) as refused:
        repair.examine(written)
    assert str(refused.value).startswith(f"there is no log in {files(written)}; ")


def test_a_service_that_runs_is_not_repaired(written: Settings) -> None:
    with lock_data_dir(written.data_dir), pytest.raises(AlreadyServed):
        repair.cut(written)


def test_a_snapshot_in_a_newer_format_is_refused_by_the_name_of_its_server(
    written: Settings,
) -> None:
    found = list(files(written).glob("appendonlydir/*.base.rdb"))
    if not found:
        pytest.skip("this server begins with no snapshot")
    data = found[0].read_bytes()
    magic, length = (b"VALKEY", 9) if data.startswith(b"VALKEY") else (b"REDIS", 9)
    newer = magic + b"9" * (length - len(magic)) + data[length:]
    found[0].write_bytes(newer)
    with pytest.raises(WrittenByNewer) as refused, reach_store(written):
        pass
    assert refused.value.writer == str(find_server_program())
    assert found[0].read_bytes() == newer
