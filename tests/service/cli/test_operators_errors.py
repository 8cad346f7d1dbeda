"""What operators are told when an address, a disk or the store fails them."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from service.cli import main
from tests.service.redis_server import RedisServer


@pytest.fixture
def folder(tmp_path: Path, redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a service's data directory, on the tests' Redis."""
    monkeypatch.setenv("MOVELOG_REDIS_URL", redis_server.url)
    monkeypatch.setenv("MOVELOG_DATA_DIR", str(tmp_path / "data"))
    assert main(["token"]) == 0
    return tmp_path


def refuse_as_full(*given: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize("host", ["nohost.invalid", "203.0.113.1"])
def test_a_host_that_cannot_be_is_told_as_the_host(
    host: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--host", host, "--port", "0", "--data-dir", str(tmp_path / "new")]) == 1
    told = capsys.readouterr().err
    assert told.startswith(f"movelog: cannot listen on {host} port 0: ")
    assert told.endswith("; set another with --host or MOVELOG_HOST\n")


@pytest.mark.parametrize(
    ("command", "file"),
    [
        (["backup", "FOLDER/backup.gz"], "backup.gz"),
        (["token"], "data/admin.token"),
        (["key", "make", "FOLDER/keys"], "keys/secret.key"),
        (["key", "rotate"], "data/choice.key"),
    ],
)
def test_a_full_disk_is_told_with_the_file_and_what_to_do(
    command: list[str],
    file: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("service.storage.durable_files.sync", refuse_as_full)
    assert main([part.replace("FOLDER", str(folder)) for part in command]) == 1
    assert capsys.readouterr().err == (
        f"movelog: {folder / file}: No space left on device; make room on that disk and try again\n"
    )


def test_a_full_place_for_backups_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("service.operations.place_backup.copy_service", refuse_as_full)
    assert main(["backup", f"{folder}/place/"]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        f"movelog: {folder}/place: No space left on device; make room on that disk and try again"
    )


@pytest.mark.parametrize("command", [["token"], ["key", "rotate-signing"]], ids=" ".join)
def test_a_full_store_is_told_to_its_operator(
    command: list[str],
    folder: Path,
    redis_server: RedisServer,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with redis_server.client() as store:
        store.config_set("maxmemory", "1")
        try:
            assert main(command) == 1
        finally:
            store.config_set("maxmemory", "0")
    told = capsys.readouterr().err
    assert told.startswith("movelog: the store has no room to write; make room")
    assert "operator" not in told
