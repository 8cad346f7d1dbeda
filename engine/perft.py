"""Perft: counting the sequences of legal actions, the usual way to compare two implementations."""

from __future__ import annotations

from engine.position import MAX_DEPTH, Action, Position

UNINTERRUPTED = 3
"""Plies counted in one call of the kernel, which no signal interrupts."""


def perft(position: Position, depth: int) -> int:
    """`position.perft(depth)`, but Ctrl-C interrupts it between parts of the count."""
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
