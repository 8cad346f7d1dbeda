"""The log, the clock and the players of each test."""

from __future__ import annotations

import fakeredis
import pytest

from service.composition.service import CODEC
from service.log.interface import EventLog
from service.log.memory import MemoryEventLog
from service.log.redis import RedisEventLog
from service.player.repository import Players
from tests.service.player.support import Clock, players_of


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["memory", "fakeredis"])
def log(request: pytest.FixtureRequest) -> EventLog:
    if request.param == "memory":
        return MemoryEventLog(CODEC)
    return RedisEventLog(fakeredis.FakeRedis(version=(6, 2)), CODEC)


@pytest.fixture
def players(log: EventLog, clock: Clock) -> Players:
    return players_of(log, clock)
