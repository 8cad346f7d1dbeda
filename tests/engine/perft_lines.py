"""The perft table, read once."""

from __future__ import annotations

from pathlib import Path

from engine.perft import read_table
from engine.registry import VARIANTS

TABLE = Path(__file__).parent.parent / "data" / "perft.txt"
LINES = read_table(
    line for line in TABLE.read_text().splitlines() if line.startswith(("#", *VARIANTS))
)
