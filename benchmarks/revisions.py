"""An earlier state of the project, to be measured beside this one.

The files are those that git has for a revision. Kernels made from the same sources as this
checkout's are copied, others are compiled.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.server import ROOT
from engine.source import STAMP, digest_kernels, read_stamp


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
    """Make sure that the checkout's kernels are compiled, as this one's are."""
    digest, _ = read_stamp(ROOT / "engine")
    if not digest:
        return
    if digest == digest_kernels(folder / "engine"):
        for file in ROOT.glob("engine/**/*.so"):
            shutil.copy(file, folder / file.relative_to(ROOT))
        # Only the digest, which every revision reads.
        (folder / "engine" / STAMP).write_text(f"{digest}\n", "ascii")
    else:
        build = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
        subprocess.run(build, cwd=folder, check=True)
