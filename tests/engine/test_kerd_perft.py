"""Kerd's lines of the perft table."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.kerd.kernel import Position
from engine.source import is_compiled
from tests.engine.kerd_support import DIALECTS

TABLE = Path(__file__).parent.parent / "data" / "perft.txt"
LINES = [line for line in TABLE.read_text().splitlines() if line.partition(" ")[0] in DIALECTS]
MOST = 20_000_000 if is_compiled(Position) else 20_000
"""Nodes of the longest line that is counted; uncompiled, a few lines stand for all."""


def test_the_table_has_lines_of_both_variants() -> None:
    assert {line.partition(" ")[0] for line in LINES} == set(DIALECTS)


@pytest.mark.parametrize("line", LINES)
def test_perft_agrees_with_the_table(line: str) -> None:
    variant, depth, count, fen = line.split(" ", 3)
    if int(count) <= MOST:
        assert DIALECTS[variant].read_fen(fen).perft(int(depth)) == int(count)
