"""What the tests of the service share: a real Redis server."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.service.redis_server import RedisServer


@pytest.fixture(scope="session")
def redis_process() -> Iterator[RedisServer]:
    """One server for all tests of a process. Its folder is short: a socket's path must be."""
    with tempfile.TemporaryDirectory(prefix="movelog-") as folder:
        server = RedisServer(Path(folder))
        server.start()
        yield server
        server.kill()


@pytest.fixture
def redis_server(redis_process: RedisServer) -> RedisServer:
    """The server, empty."""
    with redis_process.client() as client:
        client.flushall()
    return redis_process
