"""What each delivery to a spectator costs `movelog streams`, and how long it takes.

Two crowds: one game that thousands watch, and hundreds of games with a few watchers each. The cost
is all processor time of the process that answers the streams; `movelog web` takes the actions.
"""

from __future__ import annotations

import itertools
import re
import selectors
import socket
import statistics
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Final, Self

from benchmarks.server import Redis, cpu_seconds, free_port, stop, wait_for
from benchmarks.submitting import KeptConnection, long_game, register
from benchmarks.turns import Measurement
from service.operations.serving import STREAMS, WEB, make_child_environment
from service.settings import read_settings

TOLD: Final = re.compile(rb"id: ([0-9]+)\nevent: board\n")
PATIENCE: Final = 60.0
"""Seconds within which all must have received the ply."""
DEAREST: Final = 60.0
"""Microseconds of processor time that a delivery may take."""
SLOWEST: Final = 300.0
"""Milliseconds that 99 of 100 deliveries may take, from before the action is sent."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How many games there are, with how many watchers and plies each.

    `rate` is plies a second, in all games together.
    """

    games: int
    watchers: int
    plies: int
    rate: float


SHAPES: Final = {
    "one game with 2,000 watchers": Shape(1, 2000, 40, 4),
    "500 games with 4 watchers each": Shape(500, 4, 4, 80),
}


class Part:
    """A running part of the service that listens on a port."""

    def __init__(self, command: Sequence[str], store: Redis) -> None:
        self.port = free_port()
        own = {
            "MOVELOG_REDIS_URL": store.url,
            "MOVELOG_DATA_DIR": store.folder,
            "MOVELOG_PORT": str(self.port),
            "MOVELOG_RATE_LIMIT": "",
            "MOVELOG_STREAMS_APART": "yes",
            "MOVELOG_STREAMS_PER_ADDRESS": "5000",
            "MOVELOG_CONNECTIONS_PER_ADDRESS": "9000",
            "MOVELOG_DRAIN_NOTICE": "0",
            "MOVELOG_DRAIN_TIMEOUT": "2",
        }
        settings = read_settings(own)
        environment = make_child_environment(settings) | own
        self.process = subprocess.Popen(command, env=environment)
        wait_for(lambda: socket.create_connection(("127.0.0.1", self.port)).close())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        stop(self.process)

    @property
    def pids(self) -> list[int]:
        """The processes."""
        own = self.process.pid
        with open(f"/proc/{own}/task/{own}/children") as children:
            return [own, *map(int, children.read().split())]

    def cpu_seconds(self) -> float:
        """Processor time that its processes have taken so far."""
        return sum(map(cpu_seconds, self.pids))


class Crowd:
    """Connections that watch games, and when each of them received each version."""

    def __init__(self, port: int, games: Sequence[str], watchers: int) -> None:
        self.told: dict[tuple[str, int], list[float]] = {}
        self.count = 0
        self._selector = selectors.DefaultSelector()
        self._connections = []
        for number, game in enumerate(itertools.chain(*[games] * watchers)):
            # The ports of one client address are limited.
            source = (f"127.0.1.{1 + number // 500}", 0)
            connection = socket.create_connection(("127.0.0.1", port), source_address=source)
            path = f"/api/v1/games/{game}/stream?view=board"
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n".encode())
            connection.setblocking(False)
            self._selector.register(connection, selectors.EVENT_READ, game)
            self._connections.append(connection)
        self._over = False
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        while not self._over:
            for key, _ in self._selector.select(0.1):
                assert isinstance(key.fileobj, socket.socket)
                data = key.fileobj.recv(1 << 18)
                now = time.perf_counter()
                # A message's head comes in one piece, since it is sent in one.
                for version in TOLD.findall(data):
                    self.told.setdefault((key.data, int(version)), []).append(now)
                    self.count += 1

    def wait_for(self, messages: int) -> None:
        """Wait for `messages` messages in all; RuntimeError if that takes too long."""
        deadline = time.monotonic() + PATIENCE
        while self.count < messages:
            if time.monotonic() > deadline:
                raise RuntimeError(f"{messages - self.count} messages were not delivered")
            time.sleep(0.05)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._over = True
        self._reader.join()
        self._selector.close()
        for connection in self._connections:
            connection.close()


@dataclass(frozen=True, slots=True)
class Deliveries:
    """Microseconds of processor time for each, and milliseconds within which 99 of 100 came."""

    cost: float
    p99: float
    count: int


def watch(shape: Shape, web: Part, streams: Part) -> Deliveries:
    """Have a crowd watch games of this shape; RuntimeError if not everything is delivered."""
    scribe = KeptConnection(web.port, register(web.port))
    seats = {"first": {"name": "South"}, "second": {"name": "North"}}
    wish = {"variant": "katruji", "mode": "scribe", "players": seats}
    games = [str(scribe.post("/api/v1/games", wish)["id"]) for _ in range(shape.games)]
    actions = long_game(shape.plies, seed=1)
    watchers = shape.games * shape.watchers
    sent: dict[tuple[str, int], float] = {}
    with Crowd(streams.port, games, shape.watchers) as crowd:
        crowd.wait_for(watchers)
        crowd.told.clear()
        # Work left over from the beginning is not part of it.
        time.sleep(1)
        before = streams.cpu_seconds()
        due = time.perf_counter()
        for action, game in itertools.product(actions, games):
            begun = time.perf_counter()
            made = scribe.post(f"/api/v1/games/{game}/actions", {"action": action})
            version = made["version"]
            assert isinstance(version, int)
            sent[game, version] = begun
            due += 1 / shape.rate
            time.sleep(max(0.0, due - time.perf_counter()))
        deliveries = watchers * shape.plies
        crowd.wait_for(watchers + deliveries)
        spent = streams.cpu_seconds() - before
        times = [at - sent[key] for key, each in crowd.told.items() for at in each]
    p99 = statistics.quantiles(times, n=100)[98]
    return Deliveries(1e6 * spent / deliveries, 1000 * p99, deliveries)


@contextmanager
def run_parts() -> Iterator[tuple[Part, Part]]:
    """`movelog web` and `movelog streams` with their own store."""
    with ExitStack() as stack:
        store = stack.enter_context(Redis())
        web = stack.enter_context(Part(WEB, store))
        yield web, stack.enter_context(Part(STREAMS, store))


def figures() -> Iterator[Measurement]:
    """Cost and latency of each shape."""
    for name, shape in SHAPES.items():
        with run_parts() as (web, streams):
            seen = watch(shape, web, streams)
        said = f"{seen.cost:.1f} µs of processor time, 99 of 100 within {seen.p99:.0f} ms"
        yield Measurement(
            f"a ply of {name}, delivered to one",
            f"{seen.count:,} delivered: {said}",
            f"the bar is {DEAREST:g} µs",
            seen.cost / DEAREST,
            bar=1,
            most=True,
        )
        yield Measurement(
            f"the slowest of 100 deliveries, {name}",
            f"{seen.p99:.0f} ms",
            f"the bar is {SLOWEST:g} ms",
            seen.p99 / SLOWEST,
            bar=1,
            most=True,
        )
