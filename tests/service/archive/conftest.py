"""Logs with an archive: in memory, on a real server and on a cluster."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import fakeredis
import pytest

from service.archive.tiered import TieredEventLog
from service.log.cluster import LogCluster
from service.log.redis import RedisEventLog
from tests.service.archive.support import open_archive
from tests.service.log.support import CODEC
from tests.service.redis_server import RedisServer


@pytest.fixture(params=["fakeredis", "redis", "cluster"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> TieredEventLog:
    """A log with an empty archive."""
    if request.param == "cluster":
        connect: Callable[[], LogCluster] = request.getfixturevalue("patient_cluster")
        hot = RedisEventLog(connect(), CODEC, replicas=1)
    elif request.param == "redis":
        server: RedisServer = request.getfixturevalue("redis_server")
        hot = RedisEventLog(server.client(), CODEC)
    else:
        memory = fakeredis.FakeServer(version=(6, 2))
        hot = RedisEventLog(fakeredis.FakeRedis(server=memory), CODEC)
    return TieredEventLog(hot, open_archive(tmp_path))
