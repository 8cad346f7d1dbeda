"""The stores that projections are tested on."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from service.composition.service import Service, compose
from service.game.repository import Games
from service.projection.database.database import Database
from service.projection.database.opening import open_database
from service.settings import read_settings
from tests.service.budgets import lift_budgets
from tests.service.postgresql import PostgresqlServer
from tests.service.projection.support import memory_games
from tests.service.redis_server import RedisServer

DATABASES = ("sqlite", pytest.param("postgresql", marks=pytest.mark.slow))
"""`make test-all` installs PostgreSQL where it can; the everyday tests do without."""


@pytest.fixture
def games() -> Games:
    return memory_games()


@pytest.fixture(params=DATABASES)
def database_url(request: pytest.FixtureRequest) -> str | None:
    """The value of MOVELOG_DATABASE_URL; None for SQLite."""
    if request.param == "sqlite":
        return None
    server: PostgresqlServer = request.getfixturevalue("postgresql")
    return server.empty()


@pytest.fixture
def tables(tmp_path: Path, database_url: str | None, made_lists: Path) -> None:
    """Empty tables of SQLite, which the first use would otherwise have to create."""
    if database_url is None:
        shutil.copytree(made_lists, tmp_path / made_lists.name)


@pytest.fixture
def database(tmp_path: Path, database_url: str | None, tables: None) -> Iterator[Database]:
    """An empty database of each kind."""
    opened = open_database(tmp_path, database_url)
    yield opened
    opened.close()


@pytest.fixture
def environment(
    redis_server: RedisServer, tmp_path: Path, database_url: str | None, tables: None
) -> dict[str, str]:
    """Environment variables for a process on an empty Redis and an empty database of each kind."""
    return {
        "MOVELOG_REDIS_URL": redis_server.url,
        "MOVELOG_DATA_DIR": str(tmp_path),
        "MOVELOG_DATABASE_URL": database_url or "",
    }


@pytest.fixture
def service(environment: dict[str, str]) -> Iterator[Service]:
    """A service in this environment, whose answers are never cut short."""
    made = compose(read_settings(environment))
    lift_budgets(made)
    yield made
    made.store.close()
    made.database.close()
