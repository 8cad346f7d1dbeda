"""Errors of puzzles.

ServiceError
└── PuzzleError
    ├── AttemptOpen        the player's attempt at the puzzle is not over   attempt-open
    ├── WithdrawnPuzzle    the puzzle is withdrawn                          puzzle-withdrawn
    └── NoPuzzle           no puzzle is as wished                           no-puzzle
"""

from __future__ import annotations

from service.errors import ServiceError


class PuzzleError(ServiceError):
    """Base of the errors of puzzles."""


class AttemptOpen(PuzzleError):
    """The player's attempt is not over, so nothing of the solution may be revealed."""

    code = "attempt-open"
    message = (
        "your attempt at the puzzle {puzzle} is not over: play it by POST "
        "/puzzles/{puzzle}/attempts, which also gives it up"
    )
    puzzle: str


class WithdrawnPuzzle(PuzzleError):
    """An admin has withdrawn the puzzle, so nobody can try it."""

    code = "puzzle-withdrawn"
    message = "the puzzle {puzzle} was withdrawn"
    puzzle: str


class NoPuzzle(PuzzleError):
    """There is no puzzle of the variant and the theme that were asked for."""

    code = "no-puzzle"
    message = "there is no such puzzle: choose another game or theme"
