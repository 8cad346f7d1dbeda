"""The parts of a service as separate processes, which can be restarted in turn."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import requests

from service.operations.serving import make_child_environment
from service.settings import read_settings
from tests.ports import find_port

PATIENCE = 120.0


class Part:
    """`movelog COMMAND`; a part with a port is ready once `/readyz` answers."""

    def __init__(self, command: str, redis_url: str, folder: Path, **given: str) -> None:
        self.command = command
        self.port = find_port() if command in ("web", "streams") else None
        self.url = f"http://127.0.0.1:{self.port}"
        self.log_file = folder / f"{command}-{self.port}.log"
        own = {
            "MOVELOG_REDIS_URL": redis_url,
            "MOVELOG_DATA_DIR": str(folder / "data"),
            "MOVELOG_RATE_LIMIT": "",
            "MOVELOG_STREAMS_APART": "yes",
            "MOVELOG_TRUSTED_PROXIES": "127.0.0.1",
            **given,
        }
        settings = read_settings({name: text for name, text in own.items() if text})
        self._environment = make_child_environment(settings) | own
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        port = [] if self.port is None else ["--port", str(self.port)]
        with self.log_file.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "service.cli", self.command, *port],
                env=self._environment,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + PATIENCE
        while self.port is not None and self.ask("/readyz") != 200:
            assert self._process.poll() is None, self.log()
            assert time.monotonic() < deadline, self.log()
            time.sleep(0.05)
        return self

    def __exit__(self, *raised: object) -> None:
        self.terminate()
        self.wait()

    def restart(self) -> None:
        """Stop the part as an operator does, and start it again."""
        self.terminate()
        self.wait()
        self.__enter__()

    def terminate(self) -> None:
        """Tell the part to stop."""
        assert self._process is not None
        self._process.terminate()

    def wait(self) -> None:
        """Wait until the part has ended; fails unless it ends cleanly."""
        assert self._process is not None
        # A part that does not say when it is ready may be stopped before it has begun.
        ends = (0,) if self.port else (0, -signal.SIGTERM)
        assert self._process.wait(PATIENCE) in ends, self.log()

    def ask(self, path: str) -> int:
        """The status of an answer, or 0 if there is none."""
        try:
            return requests.get(f"{self.url}{path}", timeout=10).status_code
        except requests.RequestException:
            return 0

    def log(self) -> str:
        """The part's output, without the warning that the tests' Redis keeps no log."""
        lines: Sequence[str] = self.log_file.read_text().splitlines(keepends=True)
        return "".join(line for line in lines if "may lose games" not in line)
