"""A takeover of an older archive that is killed at any point begins again, and ends as any."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
import redis

from service.composition.service import Service, compose
from service.projection.errors import DatabaseError
from service.projection.reacted import REACTED
from service.projection.takeover import OLD_INDEXES, REMOVED
from service.settings import read_settings
from tests.service.projection.support import dump, listed
from tests.service.redis_server import RedisServer
from tests.waiting import PATIENCE

ARCHIVE = Path(__file__).parents[2] / "data" / "archives" / "2.2" / "store.tar.xz"
GAMES = 35
STEP = 6
"""Every how many points there is a kill."""

PROGRAM = """
import os, signal, sys
from threading import Event
import redis
from service.composition.service import compose
from service.composition.projector import compose_projector_process, rebuild
from service.projection import takeover
from service.projection.database.database import Database
from service.projection.database.postgresql import PostgresqlStore
from service.projection.database.sqlite import SqliteStore
from service.settings import read_settings

last = int(sys.argv[1])
points = 0
takeover.CHUNK = 200

def reach_point():
    global points
    points += 1
    if points == last:
        os.kill(os.getpid(), signal.SIGKILL)

def surround(cls, name):
    call = getattr(cls, name)
    def surrounded(*given, **options):
        reach_point()
        answer = call(*given, **options)
        reach_point()
        return answer
    setattr(cls, name, surrounded)

surround(Database, "write")
surround(Database, "replace_by")
surround(redis.Redis, "unlink")
for store in (SqliteStore, PostgresqlStore):
    for name in ("make", "begin", "replace", "remove"):
        surround(store, name)
service = compose(read_settings(os.environ))
if sys.argv[2] == "rebuild":
    rebuild(service)
else:
    stop = Event()
    process = compose_projector_process(service)
    start = process.start
    def start_and_stop(stopping):
        projector = start(stopping)
        while projector.step(0.001):
            pass
        stop.set()
        return projector
    process.start = start_and_stop
    process.run(stop)
print("whole")
"""


def load(server: RedisServer, data: Path) -> None:
    """Put an archive's store into a server, its other files into a folder."""
    with tarfile.open(ARCHIVE) as archive:
        archive.extractall(data, filter="data")
    log = (data / "redis" / "appendonly.aof").read_bytes()
    with server.client() as client:
        while log:
            head, _, log = log.partition(b"\r\n")
            parts = []
            for _ in range(int(head[1:])):
                size, _, log = log.partition(b"\r\n")
                parts.append(log[: int(size[1:])])
                log = log[int(size[1:]) + 2 :]
            client.execute_command(*parts)


def index_keys(client: redis.Redis) -> set[Any]:
    return set(client.scan_iter(match=f"{OLD_INDEXES}*"))


def run(environment: dict[str, str], last: int, way: str) -> bool:
    """Take over, to the point at which the process is killed; whether it came to the end."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(last), way],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == (0 if "whole" in done.stdout else -9), done.stderr
    return done.returncode == 0


def check_readers(service: Service, *, taken_over: bool) -> None:
    """The lists are empty or whole, never half."""
    try:
        found = len(listed(service.database))
    except DatabaseError:
        found = 0
    assert found in ((GAMES,) if taken_over else (0, GAMES))


@pytest.mark.slow
@pytest.mark.parametrize("way", ["projector", "rebuild"])
def test_a_takeover_killed_at_any_point_comes_to_the_same(
    redis_server: RedisServer, tmp_path: Path, database_url: str | None, way: str
) -> None:
    load(redis_server, tmp_path)
    environment = {
        "MOVELOG_REDIS_URL": redis_server.url,
        "MOVELOG_DATA_DIR": str(tmp_path),
        "MOVELOG_DATABASE_URL": database_url or "",
    }
    service = compose(read_settings(environment))
    client = redis_server.client()
    others = set(client.scan_iter(match="movelog:*")) - index_keys(client)
    assert len(index_keys(client)) > 500
    last, kills = 1, 0
    while not run(environment, last, way):
        check_readers(service, taken_over=False)
        last, kills = last + STEP, kills + 1
    assert kills >= 4
    check_readers(service, taken_over=True)
    assert index_keys(client) == {REACTED.encode()}
    # Only the lists were deleted; the jobs that follow may be new.
    assert others <= set(client.scan_iter(match="movelog:*"))
    assert client.exists(REMOVED)
    found = dump(service.database)
    assert len(found["game"]) == GAMES
    # As an undisturbed takeover, into a database of its own.
    apart = tmp_path / "apart"
    apart.mkdir()
    for name in ("secret.key", "choice.key", "signing.key"):
        (apart / name).write_bytes((tmp_path / name).read_bytes())
    alone = compose(
        read_settings(environment | {"MOVELOG_DATA_DIR": str(apart), "MOVELOG_DATABASE_URL": ""})
    )
    given = environment | {"MOVELOG_DATA_DIR": str(apart), "MOVELOG_DATABASE_URL": ""}
    assert run(given, 0, "rebuild")
    assert dump(alone.database) == found
    for each in (service, alone):
        each.database.close()
        each.store.close()
    client.close()
