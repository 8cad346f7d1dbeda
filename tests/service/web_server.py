"""The web process as it is run: gunicorn with a gevent worker, and a projector beside it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import requests

from service.composition.service import Service, compose
from service.operations.gunicorn_settings import LISTEN_FD
from service.operations.serving import PROJECTOR, PYTHON, WEB, make_child_environment
from service.projection.leases.table import LeaseTable
from service.settings import read_settings

PATIENCE = 180.0
AT_A_START = (
    "movelog: warning: the Redis of MOVELOG_REDIS_URL may lose games",
    # A projector that starts after a test's first game says so.
    "movelog: the lists are being built from the log",
    "movelog: the lists are complete",
)
STOOD_STILL = "stood still or could not reach Redis"
"""What a projector says after it stood still for longer than its leases live."""


class WebServer:
    """A web process and a projector on one Redis; `service` has the same parts in this process.

    With `files`, each of them may open that many files.
    """

    def __init__(self, redis_url: str, data_dir: Path, files: str = "", **given: str) -> None:
        limit = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh"] if files else []
        self._limit = tuple(limit)
        own = {"MOVELOG_REDIS_URL": redis_url, "MOVELOG_DATA_DIR": str(data_dir)}
        self.settings = read_settings({"MOVELOG_RATE_LIMIT": "", **own, **given})
        self.service: Service = compose(self.settings)
        unlimited = {"MOVELOG_RATE_LIMIT": "", "MOVELOG_DRAIN_NOTICE": "0", **given}
        self._environment = make_child_environment(self.settings) | unlimited
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.log_file = data_dir / "web.log"
        self._children: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Self:
        fd = self._listener.fileno()
        os.set_inheritable(fd, True)
        self._run(WEB, {LISTEN_FD: str(fd)}, (fd,))
        self._run((*PYTHON, PROJECTOR.name, *PROJECTOR.arguments), {}, ())
        self._wait()
        # Later, a test may give the store other keys, with which no projector would begin.
        leases = LeaseTable(self.service.store, self.service.log.partitions)
        self._wait_until(lambda: bool(leases.holders()))
        return self

    def __exit__(self, *error: object) -> None:
        # Nobody looks at what is left: an orderly end would only take longer.
        for child in self._children:
            child.kill()
        for child in self._children:
            child.wait(PATIENCE)
        self._listener.close()
        self.service.store.close()
        self.service.database.close()

    @contextmanager
    def away(self) -> Iterator[None]:
        """Stop the web process while the context lasts, then start another."""
        with self._without(subprocess.Popen.terminate):
            yield

    @contextmanager
    def killed(self) -> Iterator[None]:
        """Like `away`, but kill the web process (SIGKILL); its workers end with it."""
        with self._without(subprocess.Popen.kill):
            yield

    @contextmanager
    def _without(self, end: Callable[[subprocess.Popen[bytes]], None]) -> Iterator[None]:
        web = self._children.pop(0)
        end(web)
        web.wait(PATIENCE)
        yield
        self._run(WEB, {LISTEN_FD: str(self._listener.fileno())}, (self._listener.fileno(),))
        self._children.insert(0, self._children.pop())
        self._wait()

    def catch_up(self) -> None:
        """Wait until the lists have caught up with the log."""
        heads = self.service.log.feed_positions()
        assert self.service.checkpoints.wait_until(heads, PATIENCE), self.log()

    def log(self) -> str:
        """The processes' output so far, without what is said at a start or of a busy machine."""
        lines = self.log_file.read_text().splitlines(keepends=True)
        said = [line for line in lines if not line.startswith(AT_A_START)]
        return "".join(line for line in said if STOOD_STILL not in line)

    def _run(self, command: tuple[str, ...], extra: dict[str, str], fds: tuple[int, ...]) -> None:
        with self.log_file.open("ab") as log:
            child = subprocess.Popen(
                (*self._limit, *command),
                env=self._environment | extra,
                pass_fds=fds,
                stdout=log,
                stderr=log,
                cwd=Path(sys.prefix),
            )
        self._children.append(child)

    def _wait(self) -> None:
        self._wait_until(self._answers)

    def _wait_until(self, holds: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE
        while not holds():
            assert all(child.poll() is None for child in self._children), self.log()
            assert time.monotonic() < deadline, self.log()
            time.sleep(0.05)

    def _answers(self) -> bool:
        try:
            return requests.get(f"{self.url}/readyz", timeout=5).status_code == 200
        except requests.RequestException:
            return False
