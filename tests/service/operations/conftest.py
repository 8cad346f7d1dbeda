"""What the tests of operations share: settings for a data directory, a service on a real Redis."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from service.composition.service import Service, compose
from service.settings import Settings, read_settings
from tests.service.redis_cluster import RedisCluster
from tests.service.redis_server import RedisServer


@pytest.fixture
def embedded(tmp_path: Path) -> Settings:
    """Settings for a data directory of its own, with an embedded Redis."""
    return read_settings({"MOVELOG_DATA_DIR": str(tmp_path / "data")})


@pytest.fixture
def settings(tmp_path: Path, redis_server: RedisServer) -> Settings:
    """Settings for a data directory of its own, on the tests' Redis, which is empty."""
    return at(tmp_path / "data", redis_server)


@pytest.fixture
def clustered(tmp_path: Path, redis_server: RedisServer, redis_cluster: RedisCluster) -> Settings:
    """Settings for a data directory of its own, whose log is in the tests' cluster, empty."""
    return at(tmp_path / "clustered", redis_server, MOVELOG_LOG_URL=redis_cluster.url)


@pytest.fixture
def service(settings: Settings) -> Iterator[Service]:
    """A service on the tests' Redis."""
    made = compose(settings)
    yield made
    made.store.close()


@pytest.fixture
def emptied(tmp_path: Path, redis_server: RedisServer) -> Callable[[], Settings]:
    """A function that empties the tests' Redis, and gives settings for a new data directory."""

    def new() -> Settings:
        with redis_server.client() as client:
            client.flushall()
        return at(tmp_path / "other", redis_server)

    return new


def at(folder: Path, server: RedisServer, **given: str) -> Settings:
    own = {"MOVELOG_DATA_DIR": str(folder), "MOVELOG_REDIS_URL": server.url}
    return read_settings({**own, **given})
