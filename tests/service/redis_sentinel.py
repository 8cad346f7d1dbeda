"""A real Redis with replicas, and three Sentinels that promote one if the master fails."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import redis

from service.operations.server_program import find_redis_server
from tests.faults.network import HOST
from tests.ports import find_ports
from tests.waiting import eventually

NAME: Final = "movelog"
"""The master's name in the Sentinels."""

SILENCE: Final = 6000
"""Milliseconds of silence after which a Sentinel considers a server down: on a busy machine, one
that is well may stand still for seconds."""


class Server:
    """A server or a Sentinel on a port, with its own configuration file."""

    def __init__(self, folder: Path, port: int, *lines: str, sentinel: bool = False) -> None:
        self.port = port
        self.address = HOST
        self.folder = folder / str(port)
        self.folder.mkdir()
        self.file = self.folder / "redis.conf"
        # The programs also write their state into it, such as whom they follow.
        own = (f"port {port}", f"bind {HOST}", f"dir {self.folder}", *lines)
        self.file.write_text("".join(f"{line}\n" for line in own))
        self.options = ["--sentinel"] if sentinel else []
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it with its former state; wait until it answers."""
        command = [str(find_redis_server()), str(self.file), *self.options]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        eventually(self.answers, f"the server on port {self.port} answers")

    def answers(self) -> bool:
        """Whether it answers."""
        with suppress(redis.ConnectionError, redis.TimeoutError):
            return bool(self.ask("PING"))
        return False

    def ask(self, *command: str | int) -> Any:
        """Its reply to a command, undecoded."""
        with redis.Redis(host=HOST, port=self.port, socket_timeout=5) as client:
            return client.execute_command(*command, NEVER_DECODE=True)

    def is_master(self) -> bool:
        """Whether it considers itself a master."""
        return bool(self.ask("ROLE")[0] == b"master")

    def is_served(self) -> bool:
        """Whether it answers; the Sentinels see to a new master."""
        return self.answers()

    def kill(self) -> None:
        """Kill it, as a power cut would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def signal(self, number: signal.Signals) -> None:
        """Send its process a signal."""
        assert self.process is not None
        self.process.send_signal(number)


class Watched:
    """A Redis with replicas, watched by three Sentinels."""

    def __init__(self, folder: Path, servers: int) -> None:
        ports = find_ports(servers + 3)
        kept = ("appendonly yes", "appendfsync always", 'save ""', "repl-diskless-sync-delay 0")
        follows = (f"replicaof {HOST} {ports[0]}",)
        self.nodes = [
            Server(folder, port, *kept, *(follows if number else ()))
            for number, port in enumerate(ports[:servers])
        ]
        watching = (
            f"sentinel monitor {NAME} {HOST} {ports[0]} 2",
            f"sentinel down-after-milliseconds {NAME} {SILENCE}",
            f"sentinel failover-timeout {NAME} 10000",
        )
        self.sentinels = [Server(folder, p, *watching, sentinel=True) for p in ports[servers:]]

    @property
    def url(self) -> str:
        """The URL with the Sentinels, after an address where there is none."""
        hosts = ",".join(f"{HOST}:{port}" for port in [1, *(s.port for s in self.sentinels)])
        return f"redis+sentinel://{hosts}/{NAME}/0"

    def start(self) -> None:
        """Start all servers, and wait until a failover is possible."""
        for server in (*self.nodes, *self.sentinels):
            server.start()
        self.wait_until_whole()

    def wait_until_whole(self) -> None:
        """Wait until each Sentinel knows the others, and every replica is in sync."""
        for sentinel in self.sentinels:
            eventually(partial(self._knows_all, sentinel), "all Sentinels agree")

    def find_master(self) -> Server:
        """The current master."""
        (found,) = [server for server in self.nodes if server.is_master()]
        return found

    def _knows_all(self, sentinel: Server) -> bool:
        with redis.Redis(host=HOST, port=sentinel.port, socket_timeout=5) as client:
            known: Any = client.sentinel_master(NAME)
        counts = (known["num-other-sentinels"], known["num-slaves"])
        if counts != (2, len(self.nodes) - 1) or known["flags"] != "master":
            return False
        states = [s.ask("ROLE") for s in self.nodes]
        lines = [state[3] == b"connected" for state in states if state[0] == b"slave"]
        return len(lines) == len(self.nodes) - 1 and all(lines)

    def kill(self) -> None:
        """Kill all servers."""
        for server in (*self.sentinels, *self.nodes):
            server.kill()


@contextmanager
def watched_redis(servers: int = 2) -> Iterator[Watched]:
    """A Redis with Sentinels that runs while the context lasts."""
    with TemporaryDirectory(prefix="movelog-") as folder:
        watched = Watched(Path(folder), servers)
        try:
            watched.start()
            yield watched
        finally:
            watched.kill()
