"""A real Redis or Valkey server in a process of the test's own.

It is the program that the service would embed. To test another one, put it first on the PATH.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import redis

from service.operations.server_program import find_redis_server

PATIENCE = 60.0


class RedisServer:
    """A server on a unix socket in `folder`, which can be killed and started again at will.

    With `durable`, every write is on disk before it is answered.
    """

    def __init__(self, folder: Path, *, durable: bool = False) -> None:
        self.folder = folder
        self.url = f"unix://{folder / 'redis.sock'}"
        self._durable = durable
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it and wait until it answers."""
        durable = ["--appendonly", "yes", "--appendfsync", "always"] if self._durable else []
        folder = str(self.folder)
        where = ["--port", "0", "--unixsocket", f"{folder}/redis.sock", "--dir", folder]
        # A blocking read that has timed out ends at Redis's next tick: ten a second by default.
        ticks = ["--hz", "500", "--dynamic-hz", "no"]
        self._process = subprocess.Popen(
            [find_redis_server(), *where, *ticks, "--save", "", *durable],
            stdout=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + PATIENCE
        with self.client() as client:
            while True:
                try:
                    client.ping()
                    return
                except redis.ConnectionError:
                    assert self._process.poll() is None, "redis-server did not start"
                    assert time.monotonic() < deadline, "redis-server does not answer"
                    time.sleep(0.02)

    def kill(self) -> None:
        """End it as a power cut would (SIGKILL)."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def client(self) -> redis.Redis:
        """A new client of the server."""
        return redis.Redis.from_url(self.url)


@contextmanager
def durable_server() -> Iterator[RedisServer]:
    """A running durable server in a folder of its own, which a test may kill and start again."""
    with TemporaryDirectory(prefix="movelog-") as folder:
        server = RedisServer(Path(folder), durable=True)
        server.start()
        try:
            yield server
        finally:
            server.kill()
