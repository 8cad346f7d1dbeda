"""One wheel serves every CPython from 3.11 on, and needs no compiler."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from engine.kerd.kernel import Position
from engine.source import PURE_VARIABLE, is_compiled
from tests.project.tree import ROOT, text_files

PACKAGES = ("engine/", "notation/", "service/", "workers/")
TOLD = """
from engine import source
from engine.registry import VARIANTS
starts = [variant.start() for variant in VARIANTS.values()]
print(source.__file__, all(source.is_compiled(type(start)) for start in starts))
"""


@pytest.mark.slow
def test_a_wheel_serves_every_python_and_needs_no_compiler(tmp_path: Path) -> None:
    if not is_compiled(Position):
        pytest.skip("no compiler")
    source, site = tmp_path / "source", tmp_path / "site"
    for name, text in text_files().items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text, encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]
    build = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(tmp_path)]
    run([*pip, *build, str(source)], source)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.stem.split("-")[2:4] == ["cp311", "abi3"]
    with ZipFile(wheel) as packed:
        missing = {name for name in text_files() if name.startswith(PACKAGES)} - {
            *packed.namelist()
        }
    assert not missing
    run([*pip, "install", "--no-deps", "--no-compile", "--target", str(site), str(wheel)], tmp_path)
    bare = {"PYTHONPATH": str(site), "PATH": ""}
    told = run([sys.executable, "-c", TOLD], tmp_path, bare).split()
    assert told == [str(site / "engine" / "source.py"), "True"]
    position = [sys.executable, "-m", "service.cli", "position", str(tmp_path / "start")]
    (tmp_path / "start").write_text("kerd\tstart\n", encoding="utf-8")
    here = run(position, ROOT, {"PATH": ""})
    assert run(position, tmp_path, bare) == here
    assert '"legal"' in here


def run(command: list[str], folder: Path, environment: dict[str, str] | None = None) -> str:
    """Run a command, which must succeed, and return its output."""
    usual = {name: value for name, value in os.environ.items() if name != PURE_VARIABLE}
    usual["CFLAGS"] = "-O0"  # optimizing takes half of the time
    done = subprocess.run(
        command, cwd=folder, env=environment or usual, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout
