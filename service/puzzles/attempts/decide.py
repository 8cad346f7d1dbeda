"""`decide(command, state, actor)`: whether an attempt is over, and how it went."""

from __future__ import annotations

from collections.abc import Sequence

from service.log.values import Event
from service.player.actor import Actor
from service.puzzles.attempts.commands import AttemptPuzzle
from service.puzzles.attempts.events import PuzzleAttempted
from service.puzzles.attempts.state import SolverState
from service.puzzles.errors import AttemptOpen
from service.puzzles.solving import Standing, try_puzzle


def create(command: AttemptPuzzle, actor: Actor) -> Sequence[Event]:
    """The event of a player's very first attempt; raises as `decide` does."""
    return (judge_attempt(command),)


def decide(command: AttemptPuzzle, state: SolverState, actor: Actor) -> Sequence[Event]:
    """The event of an attempt, or none if the player has tried the puzzle before.

    Raises AttemptOpen if the solver is to go on, and what `Dialect.resolve` does for an action that
    is not legal.
    """
    return () if command.puzzle.id in state.attempts else (judge_attempt(command),)


def judge_attempt(command: AttemptPuzzle) -> PuzzleAttempted:
    """The event of an attempt that is over: solved, or not solved at the first try."""
    puzzle = command.puzzle
    tried = try_puzzle(puzzle, command.actions)
    if tried.standing is Standing.OPEN and command.help is None:
        raise AttemptOpen(puzzle.id)
    solved = tried.standing is Standing.SOLVED
    helped = command.help if tried.standing is Standing.OPEN else None
    return PuzzleAttempted(
        puzzle=puzzle.id,
        variant=puzzle.variant,
        solved=solved,
        actions=tuple(tried.list_own()),
        estimate=puzzle.rating,
        help=helped or "",
    )
