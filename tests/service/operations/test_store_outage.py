"""What operators are told of a Redis, a database or an object store that cannot be used."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from service.cli import main
from service.operations.store_outage import explain_outage
from tests.service.redis_server import RedisServer
from tests.waiting import PATIENCE

NOWHERE = "redis://127.0.0.1:1/3"
TOLD = (
    "the Redis at redis://127.0.0.1:1/3 cannot be used (Connection refused); MOVELOG_REDIS_URL"
    " names it: start it, or correct the setting, and try again"
)
COMMANDS = [
    "serve --port 0",
    "web",
    "streams",
    "worker",
    "worker --only scoring",
    "projector",
    "rebuild",
    "backup FOLDER/backup",
    "backup FOLDER/backups/",
    "openings list",
    "archive",
    "readers",
    "prune --days 1",
    "token",
    "key list",
    "key rotate",
    "key rotate-signing",
    "audit",
]


@pytest.fixture
def folder(tmp_path: Path, redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a service's data directory, whose Redis cannot be reached any more."""
    monkeypatch.setenv("MOVELOG_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("MOVELOG_REDIS_URL", redis_server.url)
    assert main(["token"]) == 0
    monkeypatch.setenv("MOVELOG_REDIS_URL", NOWHERE)
    return tmp_path


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_names_the_setting_and_what_to_do(
    command: str, folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "nice", lambda _: 0)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    capfd.readouterr()
    try:
        assert main(command.replace("FOLDER", str(folder)).split()) == 1
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert capfd.readouterr().err == f"movelog: {TOLD}\n"


def test_a_worker_whose_redis_goes_away_ends_with_a_sentence(folder: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "workers", "clocks"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (1, f"movelog: {TOLD}\n")


@pytest.mark.parametrize(
    ("name", "url", "shown"),
    [
        ("LOG_URL", "redis-cluster://me:word@127.0.0.1:1", "redis-cluster://127.0.0.1:1"),
        ("LOG_URL", "redis+sentinel://127.0.0.1:1/m", "redis+sentinel://127.0.0.1:1/m"),
        ("QUEUE_URL", "rediss://127.0.0.1:1?password=word", "rediss://127.0.0.1:1"),
        ("REDIS_URL", "unix:///nowhere/redis.sock", "unix:///nowhere/redis.sock"),
    ],
)
def test_the_setting_that_names_it_is_told_without_secrets(
    name: str, url: str, shown: str, redis_server: RedisServer
) -> None:
    given = {"MOVELOG_REDIS_URL": redis_server.url, f"MOVELOG_{name}": url}
    told = explain_outage(given)
    assert told is not None
    assert told.startswith(f"the Redis at {shown} cannot be used (")
    assert f"; MOVELOG_{name} names it: " in told
    assert "word" not in told


def test_a_file_that_gives_the_setting_is_told(tmp_path: Path) -> None:
    file = tmp_path / "url"
    file.write_text(f"{NOWHERE}\n")
    told = explain_outage({"MOVELOG_REDIS_URL_FILE": str(file)})
    assert told is not None
    assert f"; MOVELOG_REDIS_URL_FILE ({file}) names it: " in told


def test_a_server_that_never_answers_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("service.operations.store_outage.PATIENCE", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        told = explain_outage({"MOVELOG_REDIS_URL": f"redis://127.0.0.1:{port}"})
    assert told is not None
    assert "Timeout" in told


def test_servers_that_answer_explain_nothing(redis_server: RedisServer) -> None:
    assert explain_outage({"MOVELOG_REDIS_URL": redis_server.url}) is None
    assert explain_outage({}) is None


def test_a_restore_names_the_setting(
    folder: Path,
    redis_server: RedisServer,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = str(folder / "backup")
    with monkeypatch.context() as patch:
        patch.setenv("MOVELOG_REDIS_URL", redis_server.url)
        assert main(["backup", file]) == 0
    capsys.readouterr()
    assert main(["restore", file, "--data-dir", str(folder / "new")]) == 1
    told = capsys.readouterr().err
    assert TOLD.partition(" and try again")[0] in told
    assert "run movelog restore with the backup again" in told


@pytest.mark.parametrize("command", ["rebuild", "archive"])
def test_a_database_that_is_away_is_told_with_its_setting(
    command: str,
    folder: Path,
    redis_server: RedisServer,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MOVELOG_REDIS_URL", redis_server.url)
    monkeypatch.setenv("MOVELOG_DATABASE_URL", "postgresql://me:word@127.0.0.1:1/lists")
    assert main([command]) == 1
    told = capsys.readouterr().err
    assert "Connection refused" in told
    assert "check MOVELOG_DATABASE_URL, and that the server there runs" in told
    assert "word" not in told
    assert "psycopg" not in told
