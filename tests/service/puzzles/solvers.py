"""Attempts at puzzles for tests."""

from __future__ import annotations

from collections import Counter

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


def list_with(variant: str | None, theme: str | None) -> list[Puzzle]:
    """The puzzles of a variant and a theme that come with the service."""
    known = load_collection().list_puzzles(variant)
    return [one for one in known if theme is None or theme in one.themes]


def count_own_themes(variant: str) -> Counter[str]:
    """How many puzzles of a variant that come with the service have each theme."""
    return Counter(theme for one in load_collection().list_puzzles(variant) for theme in one.themes)


def list_long(variant: str = "katruji") -> list[Puzzle]:
    """The puzzles of a variant in which the solver acts more than once."""
    return [one for one in load_collection().list_puzzles(variant) if len(find_own(one)) > 1]
