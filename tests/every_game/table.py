"""The perft table: a text file with one count per line, `variant depth count fen`.

Empty lines and lines that begin with `#` are ignored.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.registry import VARIANTS
from tests.games import DATA


class BadPerftTable(Exception):
    """A perft table that can't be read; `line` counts from 1, and is 0 for the table as a whole."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(line, reason)
        self.line = line


@dataclass(frozen=True, slots=True)
class PerftLine:
    """One line of a table: `count` sequences of `depth` actions from the position `fen`."""

    variant: str
    depth: int
    count: int
    fen: str


def read_table(lines: Iterable[str]) -> list[PerftLine]:
    """Parse a perft table; returns its lines in order.

    Raises BadPerftTable for a malformed line, an unknown variant, and a table without lines.
    """
    table = [
        read_line(number, text)
        for number, text in enumerate(lines, 1)
        if text.strip() and not text.startswith("#")
    ]
    if not table:
        raise BadPerftTable(0, "no lines")
    return table


def read_line(number: int, text: str) -> PerftLine:
    """Parse one line; `number` counts from 1."""
    fields = text.split(maxsplit=3)
    if len(fields) < 4:
        raise BadPerftTable(number, "not of the form: variant depth count fen")
    variant, depth, count, fen = fields
    if variant not in VARIANTS:
        raise BadPerftTable(number, f"unknown variant {variant!r}")
    if not (depth.isdecimal() and count.isdecimal()):
        raise BadPerftTable(number, "depth and count must be numbers")
    return PerftLine(variant, int(depth), int(count), fen.rstrip())


TABLE = read_table((DATA / "perft.txt").read_text("ascii").splitlines())
