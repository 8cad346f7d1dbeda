"""Perft: counting the sequences of legal actions, the way to compare two implementations.

A perft table is text, one line a count: `variant depth count fen`. Empty lines and lines that
begin with `#` are comments.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.errors import BadPerftTable
from engine.position import MAX_DEPTH, Action, Position
from engine.registry import VARIANTS

UNINTERRUPTED = 3
"""Plies counted in one call of the kernel, which heeds no interrupt."""


def perft(position: Position, depth: int) -> int:
    """`position.perft(depth)`, but heeding Ctrl-C between parts of the count."""
    if depth <= UNINTERRUPTED:
        return position.perft(depth)
    return sum(divide(position, depth).values())


def divide(position: Position, depth: int) -> dict[Action, int]:
    """The count of `depth` plies split by the first action; empty in a finished position.

    Raises ValueError for a depth below 1 or above `engine.position.MAX_DEPTH`.

    >>> from engine.katruji import KATRUJI
    >>> sum(divide(KATRUJI.start(), 2).values())
    200
    """
    if not 1 <= depth <= MAX_DEPTH:
        raise ValueError(depth)
    counts = {}
    for action in position.legal():
        after = position.copy()
        after.play(action)
        counts[action] = perft(after, depth - 1)
    return counts


@dataclass(frozen=True, slots=True)
class PerftLine:
    """One line of a table: `count` sequences of `depth` actions from the position `fen`."""

    variant: str
    depth: int
    count: int
    fen: str


def read_table(lines: Iterable[str]) -> list[PerftLine]:
    """The lines of a perft table, in order.

    Raises BadPerftTable for a line of another form, for an unknown variant, and for a table
    that has no lines at all.

    >>> read_table(["# start", "katruji 1 14 1SOO/1PSO"])
    [PerftLine(variant='katruji', depth=1, count=14, fen='1SOO/1PSO')]
    """
    table = [
        _read_line(number, text)
        for number, text in enumerate(lines, 1)
        if text.strip() and not text.startswith("#")
    ]
    if not table:
        raise BadPerftTable(0, "no lines")
    return table


def _read_line(number: int, text: str) -> PerftLine:
    fields = text.split(maxsplit=3)
    if len(fields) < 4:
        raise BadPerftTable(number, "not of the form: variant depth count fen")
    variant, depth, count, fen = fields
    if variant not in VARIANTS:
        raise BadPerftTable(number, f"unknown variant {variant!r}")
    if not (depth.isdecimal() and count.isdecimal()):
        raise BadPerftTable(number, "depth and count must be numbers")
    return PerftLine(variant, int(depth), int(count), fen.rstrip())
