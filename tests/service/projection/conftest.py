"""The stores that projections are tested on."""

from __future__ import annotations

import fakeredis
import pytest
import redis

from service.game.repository import Games
from tests.service.projection.support import memory_games
from tests.service.redis_server import RedisServer


@pytest.fixture(params=["fakeredis", "redis"])
def store(request: pytest.FixtureRequest) -> redis.Redis:
    if request.param == "fakeredis":
        fake: redis.Redis = fakeredis.FakeRedis(server=fakeredis.FakeServer(version=(6, 2)))
        return fake
    server: RedisServer = request.getfixturevalue("redis_server")
    return server.client()


@pytest.fixture
def games() -> Games:
    return memory_games()
