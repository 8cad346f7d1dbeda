"""Fixtures of the tests of operations: settings for a data directory, a service on a real Redis."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from service.composition.service import Service
from service.composition.service import compose as compose_service
from service.settings import Settings, read_settings
from tests.service.redis_cluster import RedisCluster
from tests.service.redis_sentinel import Watched
from tests.service.redis_server import RedisServer


@pytest.fixture
def embedded(tmp_path: Path) -> Settings:
    """Settings for a new data directory with an embedded Redis."""
    return read_settings({"MOVELOG_DATA_DIR": str(tmp_path / "data")})


@pytest.fixture
def settings(tmp_path: Path, redis_server: RedisServer) -> Settings:
    """Settings for a new data directory on the tests' Redis, which is empty."""
    return at(tmp_path / "data", redis_server)


@pytest.fixture
def clustered(tmp_path: Path, redis_server: RedisServer, redis_cluster: RedisCluster) -> Settings:
    """Settings for a new data directory, whose log is in the tests' cluster, which is empty."""
    return at(tmp_path / "clustered", redis_server, MOVELOG_LOG_URL=redis_cluster.url)


@pytest.fixture
def on_sentinels(tmp_path: Path, redis_server: RedisServer, watched: Watched) -> Settings:
    """Settings for a new data directory, whose log is in an empty Redis with Sentinels."""
    watched.find_master().ask("FLUSHALL")
    return at(tmp_path / "watched", redis_server, MOVELOG_LOG_URL=watched.url)


@pytest.fixture(params=["clustered", "on_sentinels"])
def apart(request: pytest.FixtureRequest) -> Settings:
    """Settings for a new data directory, whose log is in another store than everything else."""
    settings: Settings = request.getfixturevalue(request.param)
    return settings


@pytest.fixture
def service(settings: Settings) -> Iterator[Service]:
    """A service on the tests' Redis."""
    made = compose_service(settings)
    yield made
    made.store.close()


@pytest.fixture
def compose() -> Iterator[Callable[[Settings], Service]]:
    """A function that composes services; their connections are closed at the end."""
    made: list[Service] = []

    def compose(settings: Settings) -> Service:
        made.append(compose_service(settings))
        return made[-1]

    yield compose
    for service in made:
        service.log.redis.client.close()
        service.store.close()


@pytest.fixture
def emptied(tmp_path: Path, redis_server: RedisServer) -> Callable[[], Settings]:
    """A function that empties the tests' Redis and returns settings for a new data directory."""

    def new() -> Settings:
        with redis_server.client() as client:
            client.flushall()
        return at(tmp_path / "other", redis_server)

    return new


def at(folder: Path, server: RedisServer, **given: str) -> Settings:
    own = {"MOVELOG_DATA_DIR": str(folder), "MOVELOG_REDIS_URL": server.url}
    return read_settings({**own, **given})
