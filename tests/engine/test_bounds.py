"""No kernel reads or writes outside its lists.

C arrays are not bounds-checked, and Python's lists accept negative indices: see `checked_lists`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.registry import VARIANTS
from engine.source import PURE_VARIABLE
from tests.engine.checked_lists import CheckedList

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_no_list_is_read_or_written_outside_its_bounds(variant: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.engine.checked_lists", variant],
        env=os.environ | {PURE_VARIABLE: "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stderr) == (0, "")
    counted, judged, searched = map(int, run.stdout.split())
    assert counted > 10_000
    assert judged > 3_000
    assert searched >= 750


def test_a_checked_list_refuses_what_a_list_lets_pass() -> None:
    checked = CheckedList([1, 2, 3])
    checked[:] = [4, 5, 6]
    assert (checked[0], checked[2], checked[:3]) == (4, 6, [4, 5, 6])
    for index in (-1, 3, slice(0, 4), slice(-1, None)):
        with pytest.raises(IndexError):
            checked[index]
        with pytest.raises(IndexError):
            checked[index] = [7]
    with pytest.raises(IndexError, match="3 elements became 2"):
        checked[:] = [7, 8]
