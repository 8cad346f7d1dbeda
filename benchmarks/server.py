"""Servers to measure: a Redis, and gunicorn processes in front of it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

import redis

from service.operations.server_program import find_redis_server

ROOT = Path(__file__).parents[1]


class Redis:
    """A Redis of one's own on a unix socket, syncing every write as the service does."""

    def __enter__(self) -> Redis:
        self.folder = tempfile.mkdtemp(prefix="movelog-bench-")
        self.url = f"unix://{self.folder}/redis.sock"
        where = ["--port", "0", "--unixsocket", f"{self.folder}/redis.sock", "--dir", self.folder]
        self.process = subprocess.Popen(
            [find_redis_server(), *where, "--appendonly", "yes", "--appendfsync", "always"],
            stdout=subprocess.DEVNULL,
        )
        self.client = redis.Redis.from_url(self.url)
        wait_for(lambda: self.client.ping())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.client.close()
        stop(self.process)
        shutil.rmtree(self.folder)

    @property
    def memory(self) -> int:
        """Bytes in use."""
        return int(self.client.info("memory")["used_memory"])


class Web:
    """An application behind gunicorn with one gevent worker, as the service runs."""

    def __init__(self, application: str, store: Redis) -> None:
        self.application = application
        self.store = store
        self.port = free_port()

    def __enter__(self) -> Web:
        environment = {
            **os.environ,
            "MOVELOG_REDIS_URL": self.store.url,
            "MOVELOG_DATA_DIR": self.store.folder,
            "MOVELOG_RATE_LIMIT": "1000000/second",
        }
        command = [sys.executable, "-m", "gunicorn", "-k", "gevent", "--keep-alive", "75"]
        self.process = subprocess.Popen(
            [
                *command,
                "--graceful-timeout",
                "1",
                "--log-level",
                "warning",
                "-b",
                f"127.0.0.1:{self.port}",
                self.application,
            ],
            env=environment,
            cwd=ROOT,
        )
        wait_for(self.answers)
        return self

    def answers(self) -> bool:
        """Whether it listens."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=1):
            return True

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        stop(self.process)


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(ready: Callable[[], object], seconds: float = 20) -> None:
    """Wait until calling `ready` succeeds."""
    end = time.monotonic() + seconds
    while True:
        try:
            ready()
            return
        except (OSError, redis.ConnectionError, redis.BusyLoadingError):
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process started here."""
    process.terminate()
    process.wait(20)
