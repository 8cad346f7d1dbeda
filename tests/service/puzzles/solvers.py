"""Attempts at puzzles for tests."""

from __future__ import annotations

from notation.registry import find_dialect
from service.puzzles.collection import load_collection
from service.puzzles.puzzle import Puzzle


def find_own(puzzle: Puzzle) -> tuple[str, ...]:
    """The solver's own actions in the puzzle's line."""
    dialect = find_dialect(puzzle.variant)
    position = dialect.read_fen(puzzle.fen)
    solver, own = position.side, []
    for token in puzzle.line:
        if position.side == solver:
            own.append(token)
        position.play(dialect.resolve(position, token))
    return tuple(own)


def find_wrong(puzzle: Puzzle) -> str:
    """A first action that is not the solution and does not end the game."""
    dialect = find_dialect(puzzle.variant)
    position = dialect.read_fen(puzzle.fen)
    for action in position.legal():
        after = position.copy()
        after.play(action)
        if dialect.coordinate(action) != puzzle.line[0] and after.outcome() is None:
            return dialect.coordinate(action)
    raise AssertionError(f"{puzzle.id} has no wrong action")


def list_long(variant: str = "katruji") -> list[Puzzle]:
    """The puzzles of a variant in which the solver acts more than once."""
    return [one for one in load_collection().list_puzzles(variant) if len(find_own(one)) > 1]
