"""A service in the tests' own process for commands to query; the tests fill its lists."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from werkzeug.serving import make_server

from service.composition.service import Service, compose
from service.operations.web_app import create_app
from service.projection.database.opening import FOLDER
from service.settings import read_settings
from tests.http_server import serve_in_thread
from tests.service.projection.support import project_service
from tests.service.redis_server import RedisServer


class Served(NamedTuple):
    """A service and its URL."""

    parts: Service
    url: str

    def add_players(self, *names: str) -> list[str]:
        """Add and list players known only from records; return their ids in order."""
        ids = sorted(self.parts.players.unclaimed(name, "admin") for name in names)
        project_service(self.parts)
        return ids


@pytest.fixture(autouse=True)
def stranger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By themselves, commands find no service and no token."""
    monkeypatch.setenv("MOVELOG_DATA_DIR", str(tmp_path / "none"))
    monkeypatch.delenv("MOVELOG_TOKEN", raising=False)


@pytest.fixture(scope="module")
def served(
    redis_process: RedisServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """One service for all tests of a module, on an emptied Redis, without a projector."""
    with redis_process.client() as client:
        client.flushall()
    shutil.rmtree(redis_process.folder / FOLDER, ignore_errors=True)
    given = {"MOVELOG_REDIS_URL": redis_process.url, "MOVELOG_RATE_LIMIT": ""}
    folder = tmp_path_factory.mktemp("data")
    service = compose(read_settings({**given, "MOVELOG_DATA_DIR": str(folder)}))
    web = make_server("127.0.0.1", 0, create_app(service), threaded=True)
    with serve_in_thread(web):
        yield Served(service, f"http://127.0.0.1:{web.server_port}")
    service.store.close()
    service.database.close()
