"""`docs/adding-a-game.md` is true: its recipe for a fifth game makes one like the others."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from engine.source import PURE_VARIABLE
from tests.fifth_game.recipe import APPENDED, EDITS, FILES, make_copy
from tests.project.tree import ROOT

PAGE = (ROOT / "docs" / "adding-a-game.md").read_text(encoding="utf-8")
SUITES = (
    "tests/every_game",
    "tests/engine/test_registry.py",
    "tests/engine/test_bounds.py",
    "tests/engine/search/test_tree.py",
    "tests/engine/search/test_expected.py",
    "tests/service/boards/test_every_game.py",
    "tests/service/verification/test_every_game.py",
    "tests/contracts/test_requests.py",
)
"""The tests that cover every game, as the page lists them."""
CHOSEN = "quadrille or every_variant or there_is_a_file or knows_no_other or can_be_named"


def test_the_page_lists_each_new_file_and_each_file_that_gains_a_line() -> None:
    new = re.findall(r"^\| `([^`]+)` \| new", PAGE, re.MULTILINE)
    changed = re.findall(r"^\| `([^`]+)` \| a line", PAGE, re.MULTILINE)
    assert sorted(name.replace("<game>", "quadrille") for name in new) == sorted(FILES.values())
    assert sorted(changed) == sorted([*EDITS, *APPENDED.values()])
    assert f"{len(new)} new files and lines in {len(changed)} others" in PAGE


def test_the_page_lists_the_tests_that_run_over_every_game() -> None:
    assert re.findall(r"^- `(tests/[^`]+)`", PAGE, re.MULTILINE) == list(SUITES)


@pytest.mark.slow
def test_a_fifth_game_passes_what_runs_over_every_game(tmp_path: Path) -> None:
    """A fifth game passes the tests of rules, notation, perft, search, pictures and exports."""
    copy = tmp_path / "five"
    make_copy(copy)
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", CHOSEN, *SUITES],
        cwd=copy,
        env=os.environ | {PURE_VARIABLE: "1"},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-4000:]
    passed = re.search(r"(\d+) passed", run.stdout)
    assert passed is not None
    assert int(passed[1]) >= 60


@pytest.mark.soak
def test_a_fifth_game_passes_compiled_too(tmp_path: Path) -> None:
    copy = tmp_path / "five"
    make_copy(copy)
    for command in (
        [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"],
        [
            *(sys.executable, "-c"),
            "from engine.registry import find_variant; from engine.source import is_compiled;"
            "raise SystemExit(not is_compiled(type(find_variant('quadrille').start())))",
        ],
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", CHOSEN, *SUITES],
    ):
        environment = {name: value for name, value in os.environ.items() if name != PURE_VARIABLE}
        run = subprocess.run(
            command,
            cwd=copy,
            env=environment | {"PYTHONWARNINGS": "ignore"},
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-4000:]
