"""What a web process of `movelog serve` costs while nothing happens: its share of one core.

With the log in the embedded store and in a Redis Cluster of three masters, without event streams
and with one open stream.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Final

from benchmarks.server import Redis, cpu_seconds
from benchmarks.submitting import KeptConnection, register
from benchmarks.turns import Measurement
from benchmarks.whole_service import WholeService, run_service
from tests.service.redis_cluster import running_cluster

SECONDS: Final = 60.0
"""How long the process is observed."""
SETTLING: Final = 10.0
"""Seconds after which the work that follows a start, or a new stream, is done."""
MOST: Final = 1.0
"""Per cent of a core that a web process may take."""
WEB: Final = b"service.operations.wsgi:app"


def measure_web(service: WholeService) -> float:
    """The per cent of a core that a service's web processes take."""
    time.sleep(SETTLING)
    web = [pid for pid in list_descendants(service.process.pid) if WEB in read_command(pid)]
    before, begun = sum(map(cpu_seconds, web)), time.monotonic()
    time.sleep(SECONDS)
    spent = sum(map(cpu_seconds, web)) - before
    return 100 * spent / (time.monotonic() - begun)


def read_command(pid: int) -> bytes:
    """The command line of a process; empty for one that has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def list_descendants(pid: int) -> list[int]:
    """All processes that a process has started, directly or through others."""
    found = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            found += [child, *list_descendants(child)]
    return found


@contextmanager
def watch_game(port: int) -> Iterator[None]:
    """A stream of a game in which nothing happens, open as long as the context lasts."""
    scribe = KeptConnection(port, register(port))
    seats = {"first": {"name": "South"}, "second": {"name": "North"}}
    wish = {"variant": "katruji", "mode": "scribe", "players": seats}
    game = scribe.post("/api/v1/games", wish)["id"]
    scribe.connection.close()
    with socket.create_connection(("127.0.0.1", port)) as connection:
        path = f"/api/v1/games/{game}/stream?view=board"
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n".encode())
        assert connection.recv(1)
        yield


@contextmanager
def run_cluster() -> Iterator[dict[str, str]]:
    """The settings for a log in a cluster of three masters, with a Redis for all the rest."""
    with running_cluster(replicas=0) as cluster, Redis() as store:
        yield {"MOVELOG_LOG_URL": cluster.url, "MOVELOG_REDIS_URL": store.url}


STORES: Final[dict[str, Callable[[], AbstractContextManager[dict[str, str]]]]] = {
    "the embedded store": lambda: nullcontext({}),
    "a cluster of three masters": run_cluster,
}


def figures() -> Iterator[Measurement]:
    """What a web process takes with each store."""
    for name, run_stores in STORES.items():
        with run_stores() as stores, run_service(stores) as service:
            yield compare(f"an idle web process with {name}, no stream", measure_web(service))
            with watch_game(service.port):
                yield compare(f"an idle web process with {name}, one stream", measure_web(service))


def compare(name: str, share: float) -> Measurement:
    """The per cent of a core that a process takes, beside the bar."""
    told = f"{share:.2f} % of a core", f"the bar is {MOST:g} %"
    return Measurement(name, *told, share / MOST, bar=1, most=True)
