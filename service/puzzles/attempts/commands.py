"""Commands to a solver."""

from __future__ import annotations

from enum import StrEnum

from service.log.declarations import command
from service.puzzles.puzzle import Puzzle


class Help(StrEnum):
    """What a solver can ask for; a solver who asks for help has not solved the puzzle."""

    HINT = "hint"
    """Where the next action begins."""
    SOLUTION = "solution"
    """The whole line."""


@command
class AttemptPuzzle:
    """Record an attempt at a puzzle with these actions of the solver, in any form.

    `help` is what the solver asks for after them, None for nothing.
    """

    puzzle: Puzzle
    actions: tuple[str, ...]
    help: Help | None = None
