"""Logs with an archive, on a real server and in memory."""

from __future__ import annotations

from pathlib import Path

import fakeredis
import pytest

from service.archive.tiered import TieredEventLog
from service.log.redis import RedisEventLog
from tests.service.archive.support import open_archive
from tests.service.log.support import CODEC
from tests.service.redis_server import RedisServer


@pytest.fixture(params=["fakeredis", "redis"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> TieredEventLog:
    """A log with an empty archive."""
    if request.param == "redis":
        server: RedisServer = request.getfixturevalue("redis_server")
        client = server.client()
    else:
        client = fakeredis.FakeRedis(server=fakeredis.FakeServer(version=(6, 2)))
    return TieredEventLog(RedisEventLog(client, CODEC), open_archive(tmp_path))
