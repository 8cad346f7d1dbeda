"""The server that the workers' tests run on."""

from __future__ import annotations

import pytest

from service.composition import Service
from tests.service.conftest import redis_process, redis_server
from tests.service.redis_server import RedisServer
from tests.workers.support import service_on

__all__ = ["redis_process", "redis_server"]


@pytest.fixture
def service(redis_server: RedisServer) -> Service:
    return service_on(redis_server)
