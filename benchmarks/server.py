"""Servers to measure: a Redis, and gunicorn processes in front of it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import redis

from service.operations.redis_server import RedisServer
from service.operations.server_program import ServerProgram, find_server_program

ROOT = Path(__file__).parents[1]


class Redis:
    """A separate Redis or Valkey with the settings of the one that `movelog serve` embeds.

    `program` is the server program; by default the one that `serve` would start.
    """

    def __init__(self, program: ServerProgram | None = None) -> None:
        self.program = program or find_server_program()

    def __enter__(self) -> Redis:
        self.folder = tempfile.mkdtemp(prefix="movelog-bench-")
        folder = Path(self.folder)
        server = RedisServer(folder, folder / "redis.sock", appendfsync="always")
        server.files.mkdir()
        self.url = server.url
        self.process = subprocess.Popen(
            server.build_command(self.program), stdout=subprocess.DEVNULL
        )
        self.client = redis.Redis.from_url(self.url)
        wait_for(lambda: self.client.ping())
        return self

    def __exit__(self, *raised: object) -> None:
        self.client.close()
        stop(self.process)
        shutil.rmtree(self.folder)

    def cpu_seconds(self) -> float:
        """Processor time that the server has taken so far."""
        return cpu_seconds(self.process.pid)

    @property
    def memory(self) -> int:
        """Bytes in use."""
        return int(self.client.info("memory")["used_memory"])

    @property
    def keys_memory(self) -> int:
        """Bytes of all keys with their values, without the buffers of clients."""
        keys = self.client.scan_iter(count=1000)
        return sum(self.client.memory_usage(key, samples=0) or 0 for key in keys)

    @property
    def resident(self) -> int:
        """Bytes that the process holds."""
        return int(self.client.info("memory")["used_memory_rss"])

    @property
    def allocator(self) -> str:
        """The allocator of its memory, `libc` or a jemalloc."""
        return str(self.client.info("memory")["mem_allocator"])


class GunicornServer:
    """An application behind gunicorn with one gevent worker, as the service runs.

    `folder` is the checkout that the application is from, by default this one. With `settings`, a
    module of that checkout, the worker is the service's own.
    """

    def __init__(
        self, application: str, store: Redis, folder: Path | None = None, settings: str = ""
    ) -> None:
        self.application = application
        self.settings = ["-c", f"python:{settings}"] if settings else ["-k", "gevent"]
        self.folder = folder or ROOT
        self.store = store
        self.port = free_port()

    def __enter__(self) -> GunicornServer:
        environment = {
            **os.environ,
            "MOVELOG_REDIS_URL": self.store.url,
            "MOVELOG_DATA_DIR": self.store.folder,
            "MOVELOG_RATE_LIMIT": "1000000/second",
            "PYTHONPATH": str(self.folder),
        }
        command = [sys.executable, "-m", "gunicorn", *self.settings, "--keep-alive", "75"]
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
            cwd=self.folder,
        )
        wait_for(self.answers)
        return self

    def cpu_seconds(self) -> float:
        """Processor time that its processes have taken so far."""
        return sum(map(cpu_seconds, self.list_processes()))

    @property
    def resident(self) -> int:
        """Bytes that its workers hold."""
        return sum(map(read_resident, self.list_processes()[1:]))

    def list_processes(self) -> list[int]:
        """Its own process and those of its workers."""
        own = self.process.pid
        workers = Path(f"/proc/{own}/task/{own}/children").read_text()
        return [own, *map(int, workers.split())]

    def answers(self) -> bool:
        """Whether it accepts connections."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=1):
            return True

    def __exit__(self, *raised: object) -> None:
        stop(self.process)


def cpu_seconds(pid: int) -> float:
    """Processor time that a process has taken so far, user and system; on Linux."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def read_resident(pid: int) -> int:
    """Bytes of memory that a process holds; on Linux."""
    found = re.search(r"^VmRSS:\s+(\d+) kB$", Path(f"/proc/{pid}/status").read_text(), re.M)
    return 1024 * int(found[1]) if found else 0


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
