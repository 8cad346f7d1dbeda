"""The application on a real Redis."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from service.composition.service import compose
from service.player.repository import NewPlayer
from service.settings import read_settings
from tests.service.api.client import Api
from tests.service.redis_server import RedisServer

Configured = Callable[..., Api]


@dataclass
class Clock:
    """A clock in seconds that stands still until a test moves it; it begins at a full hour."""

    at: float = 500_000 * 3600.0

    def time(self) -> float:
        return self.at


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock that the rate limits read."""
    clock = Clock()
    monkeypatch.setattr("service.api.rate_limits.time", clock)
    return clock


@pytest.fixture
def configured(
    made_data: Path, redis_server: RedisServer, log_variables: Mapping[str, str], tmp_path: Path
) -> Iterator[Configured]:
    """A function that creates an application with these environment variables."""
    made: list[Api] = []
    shutil.copytree(made_data, tmp_path, dirs_exist_ok=True)

    def configured(**given: str) -> Api:
        own = {"MOVELOG_REDIS_URL": redis_server.url, "MOVELOG_DATA_DIR": str(tmp_path)}
        own |= log_variables
        settings = read_settings({"MOVELOG_RATE_LIMIT": "", **own, **given})
        made.append(Api(compose(settings)))
        return made[-1]

    yield configured
    for api in made:
        api.service.log.redis.client.close()
        api.service.store.close()


@pytest.fixture
def api(configured: Configured) -> Api:
    return configured()


@pytest.fixture
def ada(api: Api) -> NewPlayer:
    return api.player("Ada")


@pytest.fixture
def brahim(api: Api) -> NewPlayer:
    return api.player("Brahim")


@pytest.fixture
def eve(api: Api) -> NewPlayer:
    """A player who takes part in no game."""
    return api.player("Eve")


@pytest.fixture
def arbiter(api: Api) -> NewPlayer:
    return api.player("Anna", "arbiter")


@pytest.fixture
def admin(api: Api) -> NewPlayer:
    return api.player("Root", "play", "arbiter", "admin")
