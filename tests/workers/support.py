"""A service on a real server, as workers use it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.composition.service import Service, compose, now
from service.game.events import GameScored
from service.game.repository import stream_of
from service.jobs.job import Job
from service.jobs.store import Jobs
from service.log.partition import partition_of
from service.settings import read_settings
from tests.service.projection.support import create, end, play
from tests.service.redis_server import RedisServer
from workers.task import Task


def environment(server: RedisServer) -> dict[str, str]:
    """The variables with which a process uses this server."""
    return {"MOVELOG_DATA_DIR": str(server.folder), "MOVELOG_REDIS_URL": server.url}


def service_on(server: RedisServer) -> Service:
    """The service's parts on this server."""
    return compose(read_settings(environment(server)))


def ended_games(service: Service, number: int, plies: int = 4, name: str = "g") -> list[str]:
    """Create `number` finished games in partition 0, with ids that begin with `name`."""
    ids: list[str] = []
    candidate = 0
    while len(ids) < number:
        candidate += 1
        if partition_of(stream_of(f"{name}{candidate}")) == 0:
            ids.append(f"{name}{candidate}")
            create(service.games, ids[-1])
            play(service.games, ids[-1], plies)
            end(service.games, ids[-1], "1-0")
    return ids


def everything(service: Service) -> dict[str, Any]:
    """The arguments of a job for all games in partition 0, in feed order."""
    pointers = service.log.feed(0, limit=10_000)
    return {"games": list(dict.fromkeys(pointer.stream.id for pointer in pointers))}


def task(service: Service, kind: str, arguments: Mapping[str, Any], id: str = "job") -> Task:
    """A task for a job that has just been claimed."""
    jobs = Jobs(service.store, now)
    jobs.create(id, kind, arguments)
    job: Job | None = jobs.claim(id, "owner")
    assert job is not None
    return Task(service, jobs, job)


def scores(service: Service, id: str) -> list[GameScored]:
    """The scores in a game's log, oldest first."""
    events = [entry.event for entry in service.log.read(stream_of(id))]
    return [event for event in events if isinstance(event, GameScored)]
