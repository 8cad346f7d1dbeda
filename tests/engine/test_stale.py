"""Kernels compiled from other sources are refused, by contents and not by timestamps."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import engine
from engine.errors import StaleKernels
from engine.source import (
    PURE_VARIABLE,
    STAMP,
    digest_kernels,
    is_stale,
    is_to_compile,
    write_stamp,
)

ROOT = Path(engine.__file__).parent.parent
KERNEL = "katruji/kernel"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the engine's sources, with the stamp and a dummy compiled kernel."""
    copy = tmp_path / "engine"
    shutil.copytree(ROOT / "engine", copy, ignore=shutil.ignore_patterns("*.so", "*.c", STAMP))
    compiled = copy / f"{KERNEL}.abi3.so"
    compiled.write_bytes(b"compiled")
    write_stamp(copy, digest_kernels(copy), [compiled])
    return copy


def import_engine(folder: Path, **given: str) -> subprocess.CompletedProcess[str]:
    own = {name: value for name, value in os.environ.items() if name != PURE_VARIABLE}
    return subprocess.run(
        [sys.executable, "-c", "import engine"],
        env=own | given,
        cwd=folder.parent,
        capture_output=True,
        text=True,
    )


def edit(file: Path) -> None:
    """Change a file's contents but not its timestamps."""
    times = file.stat()
    file.write_text(file.read_text() + "\n# edited\n")
    os.utime(file, (times.st_atime, times.st_mtime))


def test_sources_that_were_only_touched_are_those_that_were_compiled(folder: Path) -> None:
    for file in folder.rglob("*.p*"):
        os.utime(file)
    assert not is_stale(folder)
    assert import_engine(folder).returncode == 0


@pytest.mark.parametrize("kind", ["py", "pxd"])
def test_an_edited_kernel_is_refused_with_what_mends_it(folder: Path, kind: str) -> None:
    edit(folder / f"{KERNEL}.{kind}")
    assert is_stale(folder)
    refused = import_engine(folder)
    assert refused.returncode == 1
    assert refused.stderr.endswith(f"engine.errors.StaleKernels: {StaleKernels()}\n")
    assert "run `make kernels`" in refused.stderr
    assert import_engine(folder, **{PURE_VARIABLE: "1"}).returncode == 0


def test_edited_constants_that_were_compiled_in_are_refused(folder: Path) -> None:
    edit(folder / "kerd/board.py")
    assert is_stale(folder)


def test_what_was_compiled_from_nobody_knows_what_is_refused(folder: Path) -> None:
    (folder / STAMP).unlink()
    assert is_stale(folder)


def test_where_nothing_is_compiled_nothing_is_stale(folder: Path) -> None:
    (folder / f"{KERNEL}.abi3.so").unlink()
    edit(folder / f"{KERNEL}.py")
    assert not is_stale(folder)


def test_kernels_that_were_deleted_are_compiled_again(folder: Path) -> None:
    assert not is_to_compile(folder)
    (folder / f"{KERNEL}.abi3.so").unlink()
    assert is_to_compile(folder)
    assert import_engine(folder).returncode == 0


@pytest.mark.parametrize("kind", ["py", "pxd"])
def test_edited_kernels_are_compiled_again(folder: Path, kind: str) -> None:
    edit(folder / f"{KERNEL}.{kind}")
    assert is_to_compile(folder)


def test_without_a_compiler_nothing_is_tried_twice(folder: Path) -> None:
    (folder / f"{KERNEL}.abi3.so").unlink()
    (folder / STAMP).unlink()
    assert is_to_compile(folder)
    write_stamp(folder, digest_kernels(folder), [])
    assert not is_to_compile(folder)


def test_another_module_may_change(folder: Path) -> None:
    edit(folder / "registry.py")
    assert not is_stale(folder)


def test_a_kernel_that_was_renamed_is_refused(folder: Path) -> None:
    (folder / "katruji/tree.py").rename(folder / "katruji/trees.py")
    (folder / "katruji/tree.pxd").rename(folder / "katruji/trees.pxd")
    assert is_stale(folder)


def test_pytest_refuses_them_before_it_collects_anything(folder: Path) -> None:
    edit(folder / f"{KERNEL}.py")
    for name in ("conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / name, folder.parent)
    own = {name: value for name, value in os.environ.items() if name != PURE_VARIABLE}
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "engine"],
        env=own,
        cwd=folder.parent,
        capture_output=True,
        text=True,
    )
    assert run.returncode == pytest.ExitCode.USAGE_ERROR
    assert run.stderr.endswith(f"engine.errors.StaleKernels: {StaleKernels()}\n")
