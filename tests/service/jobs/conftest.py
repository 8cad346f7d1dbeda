"""The stores that jobs are tested on."""

from __future__ import annotations

import pytest
import redis

from service.jobs.queue import JobQueue
from service.jobs.store import Jobs
from tests.service.jobs.support import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def jobs(store: redis.Redis, clock: Clock) -> Jobs:
    return Jobs(store, clock)


@pytest.fixture
def queue(jobs: Jobs, store: redis.Redis) -> JobQueue:
    return JobQueue(jobs, store)
