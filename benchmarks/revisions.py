"""An earlier state of the project, to be measured beside this one: its files and a whole service.

The files are those that git has of a revision. Kernels made from the same sources as this
checkout's are copied, others are compiled.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import requests

from benchmarks.server import ROOT, free_port, wait_for
from engine.source import STAMP, digest_kernels

MOVELOG = (sys.executable, "-m", "service.cli")
PATIENCE = 60.0
"""Seconds in which a service has started."""


@contextmanager
def check_out(revision: str) -> Iterator[Path]:
    """The folder of a revision's files; RuntimeError where git does not know it."""
    packed = subprocess.run(
        ["git", "archive", revision], cwd=ROOT, capture_output=True, check=False
    )
    if packed.returncode:
        raise RuntimeError(f"no files of {revision}: {packed.stderr.decode().strip()}")
    with tempfile.TemporaryDirectory(prefix="movelog-revision-") as folder:
        with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as files:
            files.extractall(folder, filter="data")
        provide_kernels(Path(folder))
        yield Path(folder)


def provide_kernels(folder: Path) -> None:
    """Have the checkout's kernels be compiled, as this one's are."""
    stamp = ROOT / "engine" / STAMP
    if not stamp.exists():
        return
    if stamp.read_text("ascii").strip() == digest_kernels(folder / "engine"):
        for file in (stamp, *ROOT.glob("engine/**/*.so")):
            shutil.copy(file, folder / file.relative_to(ROOT))
    else:
        build = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
        subprocess.run(build, cwd=folder, check=True)


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """The address of the whole service of a checkout, as `movelog serve` runs it."""
    given = {name: text for name, text in os.environ.items() if not name.startswith("MOVELOG_")}
    own = {"PYTHONPATH": str(folder), "MOVELOG_RATE_LIMIT": "100000/second"}
    url = f"http://127.0.0.1:{(port := free_port())}"
    with tempfile.TemporaryDirectory(prefix="movelog-bench-") as data:
        log = Path(data, "serve.log")
        with log.open("wb") as written:
            process = subprocess.Popen(
                [*MOVELOG, "serve", "--port", str(port), "--data-dir", str(Path(data, "data"))],
                env=given | own,
                cwd=folder,
                stdout=written,
                stderr=written,
            )
        try:
            wait_until_ready(url, process, log)
            yield url
        finally:
            process.terminate()
            process.wait(PATIENCE)


def wait_until_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait for a service that is starting; RuntimeError with what it wrote if it does not."""

    def ask() -> None:
        if process.poll() is not None:
            raise RuntimeError(log.read_text())
        requests.get(f"{url}/readyz", timeout=PATIENCE).raise_for_status()

    wait_for(ask, PATIENCE)
