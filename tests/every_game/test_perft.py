"""The perft table, line by line; plain Python leaves the long lines to `make soak`."""

from __future__ import annotations

import pytest

from engine.perft import divide
from engine.registry import find_variant
from engine.source import is_compiled
from notation.registry import find_dialect
from tests.every_game.table import TABLE, PerftLine

FEW = 300_000
"""Nodes that plain Python can count within a test's timeout."""


def check(line: PerftLine) -> None:
    written = find_dialect(line.variant)
    position = written.read_fen(line.fen)
    count = position.perft(line.depth)
    if count != line.count:
        split = divide(position, line.depth)
        table = "\n".join(f"{written.coordinate(a)} {n}" for a, n in split.items())
        pytest.fail(f"{line}: counted {count}\n{table}")
    assert written.write_fen(position) == line.fen


def name(line: PerftLine) -> str:
    return f"{line.variant}-{line.depth}-{line.fen}"


def marks(line: PerftLine) -> list[pytest.MarkDecorator]:
    compiled = is_compiled(type(find_variant(line.variant).start()))
    return [] if compiled or line.count <= FEW else [pytest.mark.soak]


LINES = [pytest.param(line, marks=marks(line), id=name(line)) for line in TABLE]


@pytest.mark.parametrize("line", LINES)
def test_perft(line: PerftLine) -> None:
    check(line)
