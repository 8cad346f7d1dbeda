"""The stores that the contract suite runs on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import fakeredis
import pytest

from service.log.cluster import LogCluster
from service.log.interface import EventLog
from service.log.memory import MemoryEventLog
from service.log.redis import RedisEventLog
from tests.service.archive.support import EagerlyArchivedLog, open_archive
from tests.service.log.support import CODEC
from tests.service.redis_server import RedisServer

Opener: TypeAlias = Callable[..., EventLog]
"""Opens the same store again, as another process would; takes `codec` and `partitions`."""


@pytest.fixture(
    params=[
        *("memory", "fakeredis", "redis", "cluster"),
        pytest.param("archive", marks=pytest.mark.slow),
        pytest.param("archive of a cluster", marks=pytest.mark.slow),
    ]
)
def opener(request: pytest.FixtureRequest, tmp_path: Path) -> Opener:
    if request.param == "memory":
        log = MemoryEventLog(CODEC)
        return lambda: log
    if request.param == "fakeredis":
        server = fakeredis.FakeServer(version=(6, 2))
        return lambda **options: RedisEventLog(
            fakeredis.FakeRedis(server=server), **({"codec": CODEC} | options)
        )
    if request.param == "archive":
        server = fakeredis.FakeServer(version=(6, 2))
        archive = open_archive(tmp_path)
        return lambda **options: EagerlyArchivedLog(
            RedisEventLog(fakeredis.FakeRedis(server=server), **({"codec": CODEC} | options)),
            archive,
        )
    if request.param.endswith("cluster"):
        connect: Callable[[], LogCluster] = request.getfixturevalue("patient_cluster")
        kept: dict[str, Any] = {"codec": CODEC, "replicas": 1}
        if request.param == "cluster":
            return lambda **options: RedisEventLog(connect(), **(kept | options))
        cold = open_archive(tmp_path)
        return lambda **options: EagerlyArchivedLog(
            RedisEventLog(connect(), **(kept | options)), cold
        )
    redis_server: RedisServer = request.getfixturevalue("redis_server")
    return lambda **options: RedisEventLog(redis_server.client(), **({"codec": CODEC} | options))


@pytest.fixture
def log(opener: Opener) -> EventLog:
    return opener()
