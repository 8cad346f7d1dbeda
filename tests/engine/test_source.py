"""Which kernel is loaded: source or compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import engine
from engine.errors import EngineError
from engine.katruji.kernel import Position
from engine.source import PURE_VARIABLE, SourceKernels, is_compiled

ASK = """
from engine.registry import VARIANTS
from engine.source import is_compiled
print(*{is_compiled(type(variant.start())) for variant in VARIANTS.values()})
"""


def test_with_the_variable_set_every_kernel_runs_from_source() -> None:
    run = subprocess.run(
        [sys.executable, "-c", ASK],
        env=os.environ | {PURE_VARIABLE: "1"},
        cwd=Path(engine.__file__).parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "False\n"


def test_a_compiled_kernel_comes_first_unless_the_variable_is_set() -> None:
    built = list(Path(engine.__file__).parent.glob("katruji/kernel*.so"))
    assert is_compiled(Position) == (bool(built) and not os.environ.get(PURE_VARIABLE))


def test_only_kernels_are_found() -> None:
    path = [str(Path(engine.__file__).parent / "katruji")]
    found = SourceKernels.find_spec("engine.katruji.kernel", ["/nowhere", *path])
    assert found is not None
    assert found.origin == f"{path[0]}/kernel.py"
    assert SourceKernels.find_spec("engine.katruji.setup", path) is None
    assert SourceKernels.find_spec("other.katruji.kernel", path) is None
    assert SourceKernels.find_spec("engine.katruji.kernel", None) is None


def test_plain_classes_are_not_compiled() -> None:
    assert not is_compiled(EngineError)
