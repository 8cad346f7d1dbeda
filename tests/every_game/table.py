"""The perft table."""

from __future__ import annotations

from engine.perft import PerftLine, read_table
from tests.games import DATA

TABLE: list[PerftLine] = read_table((DATA / "perft.txt").read_text("ascii").splitlines())
