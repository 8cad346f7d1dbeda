"""A takeover of an older archive that is killed at any point begins again and ends like any."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Callable
from itertools import count
from pathlib import Path
from threading import Event
from typing import Any, Final

import pytest
import redis

from service.composition.projector import compose_projector_process, rebuild
from service.composition.service import Service, compose
from service.jobs.redis_layout import PREFIX as JOBS
from service.projection import takeover
from service.projection.database.database import Database
from service.projection.database.postgresql import PostgresqlStore
from service.projection.database.sqlite import SqliteStore
from service.projection.errors import DatabaseError
from service.projection.reaction_progress import REACTED
from service.projection.takeover import OLD_INDEXES, REMOVED
from service.reactions.process import ProjectorLike
from service.settings import read_settings
from tests.apart import KILLED, kill_self, run_apart
from tests.service.projection.support import dump, listed
from tests.service.redis_server import RedisServer

ARCHIVE = Path(__file__).parents[2] / "data" / "archives" / "2.2" / "store.tar.xz"
GAMES = 35
STEP = 6
"""How many points lie between one kill and the next."""

STORES: Final = (SqliteStore, PostgresqlStore)
WRITES: tuple[tuple[type, str], ...] = (
    (Database, "write"),
    (Database, "replace_by"),
    (redis.Redis, "unlink"),
    *((store, name) for store in STORES for name in ("make", "begin", "replace", "remove")),
)
"""Calls that have a point before them and one after them."""


def take_over(last: int, way: str) -> None:
    """Take over an archive in this process, which is killed at the point of this number."""
    points = count(1)
    takeover.CHUNK = 200  # type: ignore[misc]

    def reach_point() -> None:
        if next(points) == last:
            kill_self()

    def surround(call: Callable[..., Any]) -> Callable[..., Any]:
        def surrounded(*given: Any, **options: Any) -> Any:
            reach_point()
            answer = call(*given, **options)
            reach_point()
            return answer

        return surrounded

    for owner, name in WRITES:
        setattr(owner, name, surround(getattr(owner, name)))
    service = compose(read_settings(os.environ))
    if way == "rebuild":
        rebuild(service)
    else:
        project_and_stop(service)


def project_and_stop(service: Service) -> None:
    """Run a projector's process until it has nothing left to do."""
    stop = Event()
    process = compose_projector_process(service)
    start = process.start

    def start_and_stop(stopping: Callable[[], bool]) -> ProjectorLike:
        projector = start(stopping)
        while projector.step(0.001):
            pass
        stop.set()
        return projector

    process.start = start_and_stop
    process.run(stop)


def load(server: RedisServer, data: Path) -> None:
    """Load an archive's store into a server, and unpack its other files into a folder."""
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
    """Take over in a process that is killed at this point; returns whether it came to the end."""
    status = run_apart(take_over, last, way, environment=environment)
    assert status in (0, KILLED)
    return status == 0


def check_readers(service: Service, *, taken_over: bool) -> None:
    """Fail unless the lists are complete or, before the takeover, empty."""
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
    # The archive's jobs were done so long ago that the projector's process may prune them all.
    jobs = set(client.scan_iter(match=f"{JOBS}*"))
    others = set(client.scan_iter(match="movelog:*")) - index_keys(client) - jobs
    assert others
    assert len(index_keys(client)) > 500
    last, kills = 1, 0
    while not run(environment, last, way):
        check_readers(service, taken_over=False)
        last, kills = last + STEP, kills + 1
    assert kills >= 4
    check_readers(service, taken_over=True)
    assert index_keys(client) == {REACTED.encode()}
    # Only the lists were deleted; the jobs that follow from them may be new.
    assert others <= set(client.scan_iter(match="movelog:*"))
    assert client.exists(REMOVED)
    found = dump(service.database)
    assert len(found["game"]) == GAMES
    # The same as an undisturbed takeover into a database of its own.
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
