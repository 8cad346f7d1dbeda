"""Exporting games over HTTP, against reading the same bytes from Redis.

The service streams every game of an archive as records: found, read from the log, redacted,
written with its players' names, and signed. The baseline reads texts of the same length from the
same Redis, one key a game. The games are scored, as they always are, so what workers keep for
exports exists. What an export itself keeps for the next one (signed records) exists in all rounds
that count; the first export, without it, is reported beside them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from http.client import HTTPConnection
from typing import Any

from benchmarks.memory import import_one, play_one
from benchmarks.server import GunicornServer, Redis
from benchmarks.turns import Measurement, measure_in_turn
from service.composition.projector import compose_projector
from service.composition.service import Service, compose
from service.jobs.queue import JobQueue
from service.settings import read_settings
from workers.job_functions import FUNCTIONS
from workers.run import carry_out

GAMES = 300
CHUNK = 1 << 16


def figures(rounds: int) -> list[Measurement]:
    """The rates for imported records and for games played move by move."""
    return [
        compared("records taken in", import_one, rounds, bar=0.8),
        compared("games played move by move", play_one, rounds, bar=0.8),
    ]


def compared(
    name: str, store_one: Callable[[Service, int], None], rounds: int, bar: float | None
) -> Measurement:
    """The comparison for one kind of games."""
    with Redis() as store:
        settings = {"MOVELOG_REDIS_URL": store.url, "MOVELOG_DATA_DIR": store.folder}
        service = compose(read_settings(settings))
        for seed in range(GAMES):
            store_one(service, seed)
        project_and_score(service)
        with GunicornServer("service.operations.wsgi:app", store) as web:
            exported(web.port, "/api/v1/export?variant=kerak")  # no game: the web process has begun
            first = rate(web.port)
            size = len(exported(web.port))
            keys = kept(service, size)
            ours, bare, ratio = measure_in_turn(
                f"export of {name}",
                lambda: rate(web.port),
                lambda: bare_rate(service, keys),
                rounds,
            )
    return Measurement(
        f"export of {GAMES} {name} over HTTP, against reading the same bytes from Redis",
        f"movelog {ours / 1e6:.2f} MB/s ({ours / size * GAMES:.0f} games/s), "
        f"the first time {first / 1e6:.2f} MB/s",
        f"one GET a game {bare / 1e6:.2f} MB/s",
        ratio,
        bar=bar,
    )


def project_and_score(service: Service) -> None:
    """Do all that the projector and the workers do when games have ended."""
    queue = JobQueue(service.jobs, service.store)
    projector = compose_projector(service, queue)
    while projector.step(timeout=0.1):
        for id in service.jobs.due():
            carry_out(id, service, service.jobs, FUNCTIONS)


def exported(port: int, path: str = "/api/v1/export") -> bytes:
    """The whole archive, or the part that a path exports."""
    connection = HTTPConnection("127.0.0.1", port)
    connection.request("GET", path, headers={"Accept": "application/x-chess-pgn"})
    answer = connection.getresponse()
    parts = []
    while part := answer.read(CHUNK):
        parts.append(part)
    connection.close()
    return b"".join(parts)


def kept(service: Service, size: int) -> list[str]:
    """Keys, one a game, that together hold `size` bytes."""
    keys = [f"bare:{number}" for number in range(GAMES)]
    for key in keys:
        service.store.set(key, b"x" * (size // GAMES))
    return keys


def rate(port: int) -> float:
    """The bytes a second of an export."""
    begun = time.perf_counter()
    size = len(exported(port))
    return size / (time.perf_counter() - begun)


def bare_rate(service: Service, keys: list[str]) -> float:
    """The bytes a second of reading the keys."""
    begun = time.perf_counter()
    size = 0
    for key in keys:
        text: Any = service.store.get(key)
        size += len(text)
    return size / (time.perf_counter() - begun)
