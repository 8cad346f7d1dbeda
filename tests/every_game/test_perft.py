"""The perft table, line by line; the long ones in `make soak`."""

from __future__ import annotations

import pytest

from engine.perft import PerftLine, divide
from notation.registry import dialect
from tests.every_game.table import TABLE

FEW = 300_000


def check(line: PerftLine) -> None:
    written = dialect(line.variant)
    position = written.read_fen(line.fen)
    count = position.perft(line.depth)
    if count != line.count:
        split = divide(position, line.depth)
        table = "\n".join(f"{written.coordinate(a)} {n}" for a, n in split.items())
        pytest.fail(f"{line}: counted {count}\n{table}")
    assert written.write_fen(position) == line.fen


def name(line: PerftLine) -> str:
    return f"{line.variant}-{line.depth}-{line.fen}"


@pytest.mark.parametrize("line", [line for line in TABLE if line.count <= FEW], ids=name)
def test_perft(line: PerftLine) -> None:
    check(line)


@pytest.mark.soak
@pytest.mark.parametrize("line", [line for line in TABLE if line.count > FEW], ids=name)
def test_long_perft(line: PerftLine) -> None:
    check(line)
