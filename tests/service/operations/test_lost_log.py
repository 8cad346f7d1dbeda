"""A Redis that was emptied under an older data directory: what notices it, and what to do."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import redis

from service.cli import main
from service.composition.projector import rebuild
from service.composition.service import Service, compose
from service.operations.errors import LogLost, LogNotLost
from service.operations.lost_log import check_lost_log, refuse_lost_log
from service.operations.reachable_store import reach_store
from service.settings import Settings, read_settings
from tests.service.operations.test_archiving import archived, export
from tests.service.operations.test_backup import played_game
from tests.service.postgresql import PostgresqlServer
from tests.service.redis_server import RedisServer

pytestmark = pytest.mark.slow

PARTS = ["web", "streams", "worker", "projector"]


def start(settings: Settings, *command: str) -> tuple[int, str]:
    """Run a command that ends by itself; returns its status and its error output."""
    given = {
        "MOVELOG_DATA_DIR": str(settings.data_dir),
        "MOVELOG_PORT": "0",
        "PATH": "/usr/bin:/bin",
    }
    if not settings.embedded_redis:
        given["MOVELOG_REDIS_URL"] = settings.redis_url
    if settings.database_url is not None:
        given["MOVELOG_DATABASE_URL"] = settings.database_url
    arguments = [sys.executable, "-m", "service.cli", *command]
    ended = subprocess.run(arguments, env=given, capture_output=True, text=True, timeout=120)
    return ended.returncode, ended.stderr


@pytest.mark.parametrize("part", [*PARTS, "worker --only scoring", "serve"])
def test_no_process_starts_on_an_emptied_store(
    service: Service, redis_server: RedisServer, part: str
) -> None:
    played_game(service)
    rebuild(service)
    redis_server.client().flushall()
    status, said = start(service.settings, *part.split())
    assert status == 1
    assert said.startswith("movelog: log-lost: the log is empty, but the lists of an earlier one")
    # Nothing was written to the log.
    assert redis_server.client().keys("movelog:{p*") == []


def test_archived_games_are_told_and_restored_or_forgotten(
    service: Service,
    redis_server: RedisServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    games, exports = archived(service)
    rebuild(service)
    monkeypatch.setenv("MOVELOG_REDIS_URL", service.settings.redis_url)
    monkeypatch.setenv("MOVELOG_DATA_DIR", str(service.settings.data_dir))
    assert main(["backup", str(tmp_path / "backup.gz")]) == 0
    assert main(["rebuild", "--begin-anew"]) == 1
    assert "the log has events" in capsys.readouterr().err
    with pytest.raises(LogNotLost):
        check_lost_log(service.settings, is_new=True)
    with redis_server.client() as client:
        client.flushall()
        with pytest.raises(LogLost, match="the lists and the directory of 3 archived games"):
            refuse_lost_log(service.settings, client)
        assert main(["rebuild"]) == 1
        assert main(["restore", str(tmp_path / "backup.gz")]) == 0
        refuse_lost_log(service.settings, client)
        assert [export(compose(service.settings), id) for id in games] == exports
        client.flushall()
        assert main(["rebuild", "--begin-anew"]) == 0
        assert capsys.readouterr().out.endswith("0 games listed\n")
        refuse_lost_log(service.settings, client)


def test_lists_in_postgresql_are_noticed(
    redis_server: RedisServer, postgresql: PostgresqlServer, tmp_path: Path
) -> None:
    given = {
        "MOVELOG_REDIS_URL": redis_server.url,
        "MOVELOG_DATABASE_URL": postgresql.empty(),
        "MOVELOG_DATA_DIR": str(tmp_path),
    }
    settings = read_settings(given)
    with redis_server.client() as client:
        refuse_lost_log(settings, client)
        service = compose(settings)
        played_game(service)
        rebuild(service)
        client.flushall()
        # This holds on another machine, too.
        settings = read_settings(given | {"MOVELOG_DATA_DIR": str(tmp_path / "new")})
        with pytest.raises(LogLost, match="the lists"):
            refuse_lost_log(settings, client)
        away = read_settings(given | {"MOVELOG_DATABASE_URL": "postgresql://127.0.0.1:1/x"})
        refuse_lost_log(away, client)


def test_new_installations_start(settings: Settings) -> None:
    """Even if their lists were created before anything was played."""
    with redis.Redis.from_url(settings.redis_url) as client:
        refuse_lost_log(settings, client)
        assert not settings.data_dir.exists()
        rebuild(compose(settings))
        refuse_lost_log(settings, client)


def test_serve_notices_that_its_log_was_removed(embedded: Settings) -> None:
    with reach_store(embedded, restoring=True) as reached:
        service = compose(reached)
        played_game(service)
        rebuild(service)
    shutil.rmtree(embedded.data_dir / "redis")
    status, said = start(embedded, "serve")
    assert status == 1
    assert "log-lost" in said
