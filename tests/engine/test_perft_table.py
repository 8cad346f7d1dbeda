"""Every line of the perft table, of every game."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.perft import PerftLine, perft
from engine.registry import VARIANTS
from engine.source import PURE_VARIABLE, is_compiled
from notation.registry import dialect
from tests.engine.checked_lists import CheckedList
from tests.engine.perft_lines import LINES

MOST = 2_000_000
MOST_PURE = 300_000


def most(variant: str) -> int:
    """How many nodes `make test` counts in one line."""
    return MOST if is_compiled(type(VARIANTS[variant].start())) else MOST_PURE


def agree(line: PerftLine) -> None:
    position = dialect(line.variant).read_fen(line.fen)
    assert perft(position, line.depth) == line.count


@pytest.mark.parametrize(
    "line", [line for line in LINES if line.count <= most(line.variant)], ids=str
)
def test_perft(line: PerftLine) -> None:
    agree(line)


@pytest.mark.soak
@pytest.mark.parametrize(
    "line", [line for line in LINES if line.count > most(line.variant)], ids=str
)
def test_long_perft(line: PerftLine) -> None:
    agree(line)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_table_has_lines_of_every_game(variant: str) -> None:
    assert any(line.variant == variant for line in LINES)


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_list_is_read_or_written_outside_its_bounds(variant: str) -> None:
    """C arrays are not checked, lists refuse less than they should: lists that refuse it all."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.engine.checked_lists", variant],
        env=os.environ | {PURE_VARIABLE: "1"},
        cwd=Path(__file__).parent.parent.parent,
        capture_output=True,
        text=True,
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert int(run.stdout) > 10_000


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
