"""Fixtures for the service's tests: real Redis, PostgreSQL and S3 servers, and a web process."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

import fakeredis
import pytest
import redis

from service.composition.service import compose
from service.log.cluster import LogCluster
from service.projection import handover
from service.projection.database.opening import FOLDER
from service.projection.database.sqlite import SqliteStore
from service.records import export_cache
from service.settings import read_settings
from tests.service.postgresql import PostgresqlServer, find_programs, running_postgresql
from tests.service.redis_cluster import RedisCluster, running_cluster
from tests.service.redis_sentinel import Watched, watched_redis
from tests.service.redis_server import RedisServer, durable_server
from tests.service.s3_server import S3Server, running_s3
from tests.service.web_server import WebServer


@pytest.fixture(scope="session")
def redis_process() -> Iterator[RedisServer]:
    """One server for all tests of a process, in a short folder: a socket's path must be short."""
    with tempfile.TemporaryDirectory(prefix="movelog-") as folder:
        server = RedisServer(Path(folder))
        server.start()
        yield server
        server.kill()


@pytest.fixture
def redis_server(redis_process: RedisServer) -> RedisServer:
    """The shared server, emptied."""
    with redis_process.client() as client:
        client.flushall()
    # The read models, what was handed over and what was kept belong to a log that is gone.
    shutil.rmtree(redis_process.folder / FOLDER, ignore_errors=True)
    for name in (handover.NAME, export_cache.NAME):
        (redis_process.folder / name).unlink(missing_ok=True)
    return redis_process


@pytest.fixture(scope="session")
def made_lists(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of empty read models, which is faster to copy than to create."""
    folder = tmp_path_factory.mktemp("made") / FOLDER
    SqliteStore(folder).make()
    return folder


@pytest.fixture(scope="session")
def made_data(
    redis_process: RedisServer, made_lists: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A data directory with keys and empty read models, which is faster to copy than to create."""
    folder = tmp_path_factory.mktemp("data")
    shutil.copytree(made_lists, folder / made_lists.name)
    with redis_process.client() as client:
        # Earlier tests may have left a store with other keys.
        client.flushall()
    settings = {"MOVELOG_REDIS_URL": redis_process.url, "MOVELOG_DATA_DIR": str(folder)}
    compose(read_settings(settings)).store.close()
    return folder


@pytest.fixture(scope="session")
def redis_cluster_processes() -> Iterator[RedisCluster]:
    """One cluster for all tests of a process."""
    with running_cluster() as cluster:
        yield cluster


@pytest.fixture
def redis_cluster(redis_cluster_processes: RedisCluster) -> Iterator[RedisCluster]:
    """The shared cluster, whole and emptied."""
    redis_cluster_processes.flush()
    yield redis_cluster_processes
    redis_cluster_processes.close_clients()


@pytest.fixture
def patient_cluster(
    redis_cluster: RedisCluster, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], LogCluster]:
    """Makes clients of the cluster that give its replicas the time that a busy machine needs."""
    monkeypatch.setattr("service.log.replication.PATIENCE", 60_000)
    return partial(redis_cluster.client, "?socket_timeout=90")


@pytest.fixture(scope="session")
def watched_processes() -> Iterator[Watched]:
    """One Redis with Sentinels for all tests of a process."""
    with watched_redis() as running:
        yield running


@pytest.fixture
def watched(watched_processes: Watched) -> Watched:
    """The shared Redis with Sentinels, whole."""
    watched_processes.wait_until_whole()
    return watched_processes


@pytest.fixture
def log_variables(request: pytest.FixtureRequest) -> Mapping[str, str]:
    """The variables that name the log: none, or those of an empty cluster with `--cluster`."""
    if not request.config.getoption("--cluster"):
        return {}
    cluster: RedisCluster = request.getfixturevalue("redis_cluster")
    return {"MOVELOG_LOG_URL": cluster.url}


@pytest.fixture
def durable() -> Iterator[RedisServer]:
    """A server of the test's own to kill and start again; it keeps all acknowledged writes."""
    with durable_server() as server:
        yield server


@pytest.fixture(scope="module")
def server(
    redis_process: RedisServer,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> Iterator[WebServer]:
    """A real web process for all tests of a module, on an emptied Redis."""
    with redis_process.client() as client:
        client.flushall()
    given = {}
    if request.config.getoption("--cluster"):
        cluster: RedisCluster = request.getfixturevalue("redis_cluster_processes")
        cluster.flush()
        given["MOVELOG_LOG_URL"] = cluster.url
    with WebServer(redis_process.url, tmp_path_factory.mktemp("web"), **given) as running:
        yield running


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgresqlServer]:
    """A PostgreSQL server for all tests of a process."""
    programs = find_programs()
    if programs is None:
        pytest.skip("there is no PostgreSQL here: install your system's package postgresql")
    with running_postgresql(programs) as server:
        yield server


@pytest.fixture
def own_postgresql() -> Iterator[PostgresqlServer]:
    """A PostgreSQL server that the test may stop."""
    programs = find_programs()
    if programs is None:
        pytest.skip("there is no PostgreSQL here: install your system's package postgresql")
    with running_postgresql(programs) as server:
        yield server


@pytest.fixture(scope="module")
def s3() -> Iterator[S3Server]:
    """An S3 endpoint for all tests of a module; the AWS variables name it meanwhile."""
    with running_s3() as server:
        yield server


@pytest.fixture(params=["fakeredis", "redis"])
def store(request: pytest.FixtureRequest) -> redis.Redis:
    """An empty store: once in memory, once on a real server."""
    if request.param == "fakeredis":
        fake: redis.Redis = fakeredis.FakeRedis(server=fakeredis.FakeServer(version=(6, 2)))
        return fake
    server: RedisServer = request.getfixturevalue("redis_server")
    return server.client()
