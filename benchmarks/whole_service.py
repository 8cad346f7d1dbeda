"""A whole service to measure: `movelog serve` of a checkout, with its own data."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import requests

from benchmarks.server import ROOT, free_port, wait_for

MOVELOG = (sys.executable, "-m", "service.cli")
PATIENCE = 60.0
"""Seconds within which a service must have started."""
WELCOME = "Movelog is at "
"""What it prints when everything has started."""
UNBOUNDED = {"MOVELOG_RATE_LIMIT": "100000/second"}
"""Settings with which no limit is measured."""


@dataclass(frozen=True)
class WholeService:
    """A service that listens on a port, run by `process`, with its data in a folder."""

    process: subprocess.Popen[bytes]
    port: int
    data: Path
    log: Path
    """The file with what its processes have written to their outputs."""

    @property
    def url(self) -> str:
        """Its address, without a path."""
        return f"http://127.0.0.1:{self.port}"

    @cached_property
    def token(self) -> str:
        """The admin's token."""
        return (self.data / "admin.token").read_text().strip()

    @cached_property
    def store_url(self) -> str:
        """The URL of its embedded store."""
        return (self.data / "run" / "redis.url").read_text().strip()

    def wait_until_ready(self) -> None:
        """Wait until it says that it is ready; RuntimeError with its output if it ends."""

        def ask() -> None:
            if self.process.poll() is not None:
                raise RuntimeError(self.log.read_text())
            if WELCOME not in self.log.read_text():
                raise BlockingIOError(f"{self.log} does not say that the service is there")
            requests.get(f"{self.url}/readyz", timeout=PATIENCE).raise_for_status()

        wait_for(ask, PATIENCE)

    def measure_cpu(self) -> dict[str, float]:
        """Seconds of processor time of each part so far, including its helpers."""
        files = [one for one in (self.data / "run").glob("*.pid") if one.stem != "serve"]
        return {file.stem: sum_cpu(int(file.read_text())) for file in files}


@contextmanager
def start_service(
    settings: Mapping[str, str], data: Path | None = None, folder: Path = ROOT
) -> Iterator[WholeService]:
    """A service of the checkout in `folder` that has only just been started.

    It has only the given settings, none from the environment. Without `data` it begins with an
    empty data directory.
    """
    given = {name: text for name, text in os.environ.items() if not name.startswith("MOVELOG_")}
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="movelog-bench-") as own:
        data, log = data or Path(own, "data"), Path(own, "serve.log")
        with log.open("wb") as written:
            process = subprocess.Popen(
                [*MOVELOG, "serve", "--port", str(port), "--data-dir", str(data)],
                env=given | dict(settings) | {"PYTHONPATH": str(folder)},
                cwd=folder,
                stdout=written,
                stderr=written,
            )
        try:
            yield WholeService(process, port, data, log)
        finally:
            process.terminate()
            process.wait(PATIENCE)


@contextmanager
def run_service(
    settings: Mapping[str, str], data: Path | None = None, folder: Path = ROOT
) -> Iterator[WholeService]:
    """A service started like that of `start_service`, once it is ready."""
    with start_service(settings, data, folder) as service:
        service.wait_until_ready()
        yield service


def sum_cpu(pid: int) -> float:
    """Seconds of processor time of a process and its children, including those that ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0.0
    own = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return own + sum(sum_cpu(int(child)) for child in children)
