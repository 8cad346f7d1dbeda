"""The perft table, as far as its games are registered."""

from __future__ import annotations

from engine.perft import PerftLine, read_table
from engine.registry import VARIANTS
from tests.games import DATA


def _registered(line: str) -> bool:
    return line.partition(" ")[0] in VARIANTS


TABLE: list[PerftLine] = read_table(
    filter(_registered, (DATA / "perft.txt").read_text("ascii").splitlines())
)
