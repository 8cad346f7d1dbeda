"""Exporting many games as a Parquet file over HTTP, against exporting a tenth of them.

Rows go out as the client reads them, so neither the rate nor the memory of the web process should
depend on how many games there are. The games are a few records, each stored many times with other
tags: reading and writing them costs the same as for that many different ones.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path

from benchmarks.exporting import CHUNK
from benchmarks.projecting import random_game
from benchmarks.server import GunicornServer, Redis
from benchmarks.turns import Measurement, progress
from notation.game import Game
from service.composition.service import Service, compose
from service.game.importing import import_command
from service.ids import new_id
from service.player.actor import Actor
from service.player.scopes import PLAY
from service.projection.projector import Projector
from service.settings import read_settings

GAMES = 20_000
EVENTS = 10
DIFFERENT = 200
BATCH = 100
VARIANT = "katruji"
PARQUET = "application/vnd.apache.parquet"
ACTOR = Actor("bench", frozenset({PLAY}))


@dataclass(frozen=True, slots=True)
class Exported:
    """An export: games a second by the clock and by the web process' own time, and its memory.

    `peak` is the most memory, in bytes, that the web process has held so far.
    """

    rate: float
    own_rate: float
    peak: int

    def __str__(self) -> str:
        return f"{self.own_rate:.0f} games/s by processor time, {self.rate:.0f} by the clock"


def figures() -> Iterator[Measurement]:
    """The rate and the memory of an export of all games, against those of one event's."""
    with Redis() as store:
        settings = {"MOVELOG_REDIS_URL": store.url, "MOVELOG_DATA_DIR": store.folder}
        service = compose(read_settings(settings))
        fill(service)
        with GunicornServer("service.operations.wsgi:app", store) as web:
            export(web, GAMES // EVENTS, "?event=Event%201")  # the web process has begun
            few = export(web, GAMES // EVENTS, "?event=Event%202")
            all_games = export(web, GAMES, "")
    name = f"Parquet export of {GAMES:,} games over HTTP, against {GAMES // EVENTS:,}"
    yield Measurement(
        f"{name}: rate", str(all_games), str(few), all_games.own_rate / few.own_rate, 0.8
    )
    yield Measurement(
        f"{name}: peak of the web process' memory",
        f"{all_games.peak / 2**20:.0f} MiB",
        f"{few.peak / 2**20:.0f} MiB",
        all_games.peak / few.peak,
        1.2,
        most=True,
    )


def fill(service: Service) -> None:
    """Store the games in the log, and list them."""
    records = [random_game(VARIANT, seed) for seed in range(DIFFERENT)]
    for start in progress(range(0, GAMES, BATCH), f"{GAMES:,} games"):
        games = [tag(records[number % DIFFERENT], number) for number in range(start, start + BATCH)]
        commands = {new_id(): import_command(game, None, None) for game in games}
        service.games.create_each(commands, ACTOR)
    projector = Projector(service.games, service.database)
    while projector.step(timeout=0.1):
        pass


def tag(record: Game, number: int) -> Game:
    """The record with the tags of another game."""
    return replace(
        record, tags={**record.tags, "Event": f"Event {number % EVENTS}", "Round": str(number)}
    )


def export(web: GunicornServer, games: int, query: str) -> Exported:
    """Export the `games` games that a query finds."""
    pids = list_processes(web.process.pid)
    begun, spent = time.perf_counter(), sum(map(read_processor_time, pids))
    connection = HTTPConnection("127.0.0.1", web.port)
    connection.request("GET", f"/api/v1/export{query}", headers={"Accept": PARQUET})
    answer = connection.getresponse()
    while answer.read(CHUNK):
        pass
    connection.close()
    if answer.status != HTTPStatus.OK:
        raise RuntimeError(f"not exported: {answer.status}")
    seconds = time.perf_counter() - begun
    own_seconds = sum(map(read_processor_time, pids)) - spent
    return Exported(games / seconds, games / own_seconds, max(map(read_peak_memory, pids)))


def list_processes(pid: int) -> list[int]:
    """A process and all its descendants."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(one for child in children for one in list_processes(int(child)))]


def read_processor_time(pid: int) -> float:
    """The seconds of processor time that a process has used."""
    times = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return sum(map(int, times)) / os.sysconf("SC_CLK_TCK")


def read_peak_memory(pid: int) -> int:
    """The most bytes that a process has held."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    [peak] = [int(line.split()[1]) for line in lines if line.startswith("VmHWM")]
    return 1024 * peak
