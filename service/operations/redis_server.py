"""The embedded Redis: which program, with which settings, where it listens."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

import redis

from service.operations.data_dir import address_file, make_private, write_private
from service.operations.errors import NoRedisServer
from service.operations.program import Program
from service.settings import Settings

LONGEST_SOCKET_PATH: Final = 100
"""Bytes; systems end between 104 and 108."""


def find_redis_server() -> Path:
    """`redis-server` on the PATH, else beside the Python interpreter; raises NoRedisServer."""
    beside = Path(sys.executable).parent
    found = shutil.which("redis-server") or shutil.which("redis-server", path=str(beside))
    if found is None:
        raise NoRedisServer
    return Path(found)


@dataclass(frozen=True, slots=True)
class RedisServer:
    """An embedded Redis for a data directory, listening on a unix socket and no TCP port."""

    data_dir: Path
    socket: Path
    appendfsync: str

    @property
    def url(self) -> str:
        """How clients find it."""
        return f"unix://{quote(str(self.socket))}"

    @property
    def files(self) -> Path:
        """Where its append-only file and its log lie."""
        return self.data_dir / "redis"

    @property
    def log(self) -> Path:
        """What it has to say."""
        return self.files / "redis.log"

    def command(self) -> tuple[str, ...]:
        """The command line; raises NoRedisServer.

        Every write goes to the append-only file, and no snapshot beside it: one file is the
        truth. Memory that runs out refuses writes, it never evicts.
        """
        make_private(self.files)
        options = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.files),
            "logfile": str(self.log),
            "appendonly": "yes",
            "appendfsync": self.appendfsync,
            "save": "",
            "maxmemory-policy": "noeviction",
            "databases": "1",
        }
        arguments = (part for name, value in options.items() for part in (f"--{name}", value))
        return (str(find_redis_server()), *arguments)

    def is_ready(self) -> bool:
        """Whether it answers; not while it still loads its data."""
        client = redis.Redis.from_url(self.url, socket_timeout=1)
        try:
            return bool(client.ping())
        except redis.RedisError:
            return False
        finally:
            client.close()

    def program(self, environment: Mapping[str, str], lock: int) -> Program:
        """It as a supervised program that holds the data directory's lock."""
        return Program(
            "redis",
            self.command(),
            environment,
            ready=self.is_ready,
            inherited=(lock,),
            hint=f"see {self.log}",
        )


@contextmanager
def redis_server(settings: Settings) -> Iterator[RedisServer]:
    """An embedded Redis that can be started, with its address left for other commands to find.

    The data directory must be locked. Its socket lies there; where that path is longer than
    sockets can have, in a private directory of the system's temporary one.
    """
    address = address_file(settings.data_dir)
    with _socket(settings) as socket:
        server = RedisServer(settings.data_dir, socket, settings.appendfsync)
        write_private(address, f"{server.url}\n".encode())
        try:
            yield server
        finally:
            address.unlink(missing_ok=True)


@contextmanager
def _socket(settings: Settings) -> Iterator[Path]:
    if len(str(settings.socket).encode()) <= LONGEST_SOCKET_PATH:
        yield settings.socket
        return
    with tempfile.TemporaryDirectory(prefix="movelog-") as directory:
        yield Path(directory, "redis.sock")
