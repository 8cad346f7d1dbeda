"""The stores that jobs are tested on."""

from __future__ import annotations

import fakeredis
import pytest
import redis

from service.jobs.queue import JobQueue
from service.jobs.store import Jobs
from tests.service.jobs.support import Clock
from tests.service.redis_server import RedisServer


@pytest.fixture(params=["fakeredis", "redis"])
def store(request: pytest.FixtureRequest) -> redis.Redis:
    if request.param == "fakeredis":
        fake: redis.Redis = fakeredis.FakeRedis(server=fakeredis.FakeServer(version=(6, 2)))
        return fake
    server: RedisServer = request.getfixturevalue("redis_server")
    return server.client()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def jobs(store: redis.Redis, clock: Clock) -> Jobs:
    return Jobs(store, clock)


@pytest.fixture
def queue(jobs: Jobs, store: redis.Redis) -> JobQueue:
    return JobQueue(jobs, store)
