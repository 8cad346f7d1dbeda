"""Commands to the puzzles of a game."""

from __future__ import annotations

from service.log.declarations import command
from service.puzzles.found.found_puzzle import FoundPuzzle


@command
class RecordPuzzles:
    """Record the puzzles that were found in a game by means of an analysis.

    Those beyond the first `most` of a game are left out, whichever analyses gave them.
    """

    analysis: str
    variant: str
    puzzles: tuple[FoundPuzzle, ...]
    most: int
