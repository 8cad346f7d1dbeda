"""A store that holds part of a backup: what refuses it, and how it is completed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import redis
from redis.exceptions import RedisClusterException

from service.archive.directory import open_directory
from service.cli import main
from service.composition.service import Service, compose
from service.operations.backup import back_up
from service.operations.backup_errors import RestoreBusy, RestoreCutOff, RestoreUnfinished
from service.operations.backup_place import BackupPlace
from service.operations.place_backup import back_up_into
from service.operations.reachable_store import reach_store
from service.operations.restore import restore, tell_what_next
from service.operations.restored_feeds import RestoredFeeds
from service.operations.unfinished_restore import (
    RESTORE_LOCK,
    RESTORING_KEY,
    refuse_unfinished_restore,
)
from service.settings import Settings
from tests.service.operations.log_files import newest_log_file
from tests.service.operations.test_backup import content, played_game, silent
from tests.service.operations.test_restore_target import archived_game, restore_place
from tests.waiting import eventually

Emptied = Callable[[], Settings]


def test_a_restore_broken_off_is_noticed_and_can_be_repeated(
    service: Service, emptied: Emptied, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        played_game(service)
    before = content(service)
    file = tmp_path / "backup.gz"
    back_up(service.settings, file, silent)
    settings = emptied()

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("service.operations.restored_lines.BATCH", 2)
    with pytest.raises(KeyboardInterrupt):
        restore(settings, file, interrupt)
    with redis.Redis.from_url(settings.redis_url) as store:
        assert store.exists(RESTORING_KEY)
        with pytest.raises(RestoreUnfinished):
            refuse_unfinished_restore(store)
        restore(settings, file, silent)
        refuse_unfinished_restore(store)
    assert content(compose(settings)) == before


def half_restore(service: Service, settings: Settings, file: Path, batch: int) -> None:
    """Break off a restore after `batch` lines."""
    back_up(service.settings, file, silent)

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("service.operations.restored_lines.BATCH", batch)
        with pytest.raises(KeyboardInterrupt):
            restore(settings, file, interrupt)


def back_up_game(service: Service, file: Path) -> dict[bytes, Any]:
    """Play a game and back the service up; returns what it has then."""
    played_game(service)
    before = content(service)
    back_up(service.settings, file, silent)
    return before


def test_two_restores_do_not_mix_in_a_store(
    service: Service, emptied: Emptied, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "backup.gz"
    before = back_up_game(service, file)
    settings = emptied()
    other = replace(settings, data_dir=tmp_path / "second")
    monkeypatch.setattr("service.operations.unfinished_restore.HELD", 20.0)
    monkeypatch.setattr("service.operations.restored_lines.BATCH", 2)
    refused: list[object] = []

    def restore_again(done: int, total: int) -> None:
        if refused:
            return
        with redis.Redis.from_url(settings.redis_url) as store:
            store.pexpire(RESTORE_LOCK, 15_000)
            eventually(lambda: store.pttl(RESTORE_LOCK) > 15_000, "the lock is renewed")
        with monkeypatch.context() as patch:
            patch.setattr("service.operations.unfinished_restore.HELD", 0.1)
            with pytest.raises(RestoreBusy) as busy:
                restore(other, file, silent)
        refused.append(busy)

    restore(settings, file, restore_again)
    assert refused
    assert not other.secret_file.exists()
    assert content(compose(settings)) == before


def test_a_restore_that_was_killed_or_overtaken_can_be_repeated(
    service: Service, emptied: Emptied, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "backup.gz"
    before = back_up_game(service, file)
    settings = emptied()
    monkeypatch.setattr("service.operations.restored_lines.BATCH", 2)
    with redis.Redis.from_url(settings.redis_url) as store:

        def take_over(done: int, total: int) -> None:
            store.set(RESTORE_LOCK, "of a process that is killed then", px=300)

        with pytest.raises(RestoreBusy):
            restore(settings, file, take_over)
        store.set(RESTORE_LOCK, "of a process that was killed", px=300)
        restore(settings, file, silent)
        assert not store.exists(RESTORE_LOCK)
    assert content(compose(settings)) == before


@pytest.mark.parametrize("error", [redis.ConnectionError, RedisClusterException])
def test_a_restore_says_what_to_do_where_its_store_goes_away(
    service: Service,
    emptied: Emptied,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    error: type[Exception],
) -> None:
    played_game(service)
    file = tmp_path / "backup.gz"
    back_up(service.settings, file, silent)
    settings = emptied()
    monkeypatch.setenv("MOVELOG_REDIS_URL", settings.redis_url)
    monkeypatch.setenv("MOVELOG_DATA_DIR", str(settings.data_dir))

    def go_away(self: RestoredFeeds, pipeline: object) -> None:
        raise error("the nodes are gone")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RestoredFeeds, "finish", go_away)
        assert main(["restore", str(file)]) == 1
    assert capsys.readouterr().err.endswith(f"movelog: {RestoreCutOff('the nodes are gone')}\n")
    with redis.Redis.from_url(settings.redis_url) as store, pytest.raises(RestoreUnfinished):
        refuse_unfinished_restore(store)
    assert main(["restore", str(file)]) == 0
    with pytest.raises(RestoreCutOff), tell_what_next():
        raise error("the nodes are gone")


def test_a_restore_from_a_place_that_was_overtaken_puts_in_no_more_of_it(
    service: Service, emptied: Emptied, tmp_path: Path
) -> None:
    place = BackupPlace((tmp_path / "backups").as_uri())
    for _ in range(3):
        archived_game(service)
    back_up_into(service.settings, place, silent)
    settings, calls = emptied(), list[int]()

    def take_over(done: int, total: int) -> None:
        calls.append(done)
        with redis.Redis.from_url(settings.redis_url) as store:
            store.set(RESTORE_LOCK, "another")

    with pytest.raises(RestoreBusy):
        restore_place(place, settings, take_over)
    assert calls == [1]
    assert open_directory(settings.data_dir, None).count()[1] == 2


@pytest.mark.parametrize(
    "command",
    [
        ["backup", "FOLDER/again.gz"],
        ["audit"],
        ["rebuild"],
        ["token"],
        ["prune", "--days", "1"],
        ["archive"],
        ["key", "rotate"],
        ["key", "rotate-signing"],
        ["web"],
        ["worker"],
        ["worker", "--only", "scoring"],
        ["projector"],
    ],
    ids=" ".join,
)
def test_every_command_refuses_part_of_a_backup(
    command: list[str],
    service: Service,
    emptied: Emptied,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    played_game(service)
    settings = emptied()
    half_restore(service, settings, tmp_path / "backup.gz", 5)
    monkeypatch.setenv("MOVELOG_REDIS_URL", settings.redis_url)
    monkeypatch.setenv("MOVELOG_DATA_DIR", str(settings.data_dir))
    monkeypatch.setattr("os.nice", lambda increment: 0)
    with redis.Redis.from_url(settings.redis_url) as store:
        before = sorted(store.keys())
        assert main([part.replace("FOLDER", str(tmp_path)) for part in command]) == 1
        assert capsys.readouterr().err == f"movelog: {RestoreUnfinished()}\n"
        assert sorted(store.keys()) == before
    assert not (tmp_path / "again.gz").exists()


@pytest.mark.slow
def test_a_restore_whose_end_is_cut_off_is_told_and_repeated(
    service: Service, embedded: Settings, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Cutting the log brings back the mark of a restore only if backup lines are lost as well."""
    for _ in range(2):
        played_game(service)
    file = tmp_path / "backup.gz"
    back_up(service.settings, file, silent)
    with reach_store(embedded, restoring=True) as settings:
        restore(settings, file, silent)
        complete = content(compose(settings))
    log = newest_log_file(embedded.data_dir / "redis")
    with log.open("r+b") as damaged:
        damaged.seek(log.read_bytes().rindex(b"DEL"))
        damaged.write(b"\0" * 10)
    place = ["--data-dir", str(embedded.data_dir)]
    assert main(["repair", "--cut", *place]) == 0
    with reach_store(embedded, restoring=True) as settings:
        assert content(compose(settings)) != complete
    capsys.readouterr()
    assert main(["audit", *place]) == 1
    assert capsys.readouterr().err == f"movelog: {RestoreUnfinished()}\n"
    assert main(["restore", str(file), *place]) == 0
    with reach_store(embedded) as settings:
        assert content(compose(settings)) == complete
