"""However a process ends, those that share its work end too."""

from __future__ import annotations

from pathlib import Path

from tests.orphans import assert_no_orphans

SPREAD = """
import time
from training.spreading import spread

if __name__ == "__main__":
    for _ in spread(time.sleep, [0, *[600] * 4], processes=2):
        print("begun", flush=True)
"""


def test_the_processes_end_with_a_killed_one(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(SPREAD)
    assert_no_orphans(program, processes=3)
