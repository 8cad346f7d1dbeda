"""What clients are shown of puzzles, tries, and finished attempts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.position import Action, Position
from notation.registry import find_dialect
from service.boards.board_position import Course, describe_position
from service.boards.described_actions import describe_actions, split_captures
from service.boards.gains import Gain, play_counted
from service.boards.scene import find_cells
from service.boards.svg import SIDES
from service.log.chain import when
from service.projection.puzzles.attempt_list import ListedAttempt, RatingChange
from service.projection.puzzles.puzzle_list import ListedPuzzle, PuzzleSource
from service.puzzles.puzzle import Puzzle
from service.puzzles.solving import Standing, Try


def render_puzzle(listed: ListedPuzzle) -> dict[str, Any]:
    """A puzzle as everybody may know it."""
    puzzle = listed.puzzle
    position = find_dialect(puzzle.variant).read_fen(puzzle.fen)
    return {
        "id": puzzle.id,
        "variant": puzzle.variant,
        "fen": puzzle.fen,
        "side": SIDES[position.side],
        "last": puzzle.last,
        "themes": list(puzzle.themes),
        "rating": round(listed.rating.rating),
        "deviation": round(listed.rating.deviation),
        "attempts": listed.attempts,
    }


def render_try(
    tried: Try,
    attempt: ListedAttempt | None,
    unrated: str | None,
    source: PuzzleSource | None,
    *,
    with_hint: bool = False,
) -> dict[str, Any]:
    """The state of a try, its position, and what is rated.

    `source` is the game that the puzzle is from, None if it must not be shown.
    """
    puzzle, dialect = tried.puzzle, tried.dialect
    position, course = follow(tried)
    playable = position.legal() if tried.standing is not Standing.SOLVED else []
    wrong = None if tried.refused is None else dialect.san(position, tried.refused)
    return {
        "standing": tried.standing,
        "wrong": wrong,
        "played": render_line(puzzle, tried.played),
        "hint": find_hint(tried) if with_hint else None,
        "attempt": None if attempt is None else render_attempt(attempt),
        "unrated": unrated,
        "game": render_source(source),
        "position": describe_position(puzzle.variant, position, course),
        "actions": describe_actions(puzzle.variant, position, playable),
        **split_captures(dialect.list_captures(position) if playable else ()),
    }


def render_source(source: PuzzleSource | None) -> dict[str, Any] | None:
    """The game in which a puzzle was found, and the number of actions before it."""
    return None if source is None else {"id": source.game, "ply": source.ply}


def render_attempt(attempt: ListedAttempt) -> dict[str, Any]:
    """A player's first attempt at a puzzle; ratings are exact, so that they can be checked."""
    return {
        "puzzle": attempt.puzzle,
        "variant": attempt.variant,
        "at": when(attempt.at),
        "solved": attempt.solved,
        "help": attempt.help or None,
        "actions": list(attempt.actions),
        "rating": render_change(attempt.player_rating),
        "puzzle_rating": render_change(attempt.puzzle_rating),
    }


def render_change(change: RatingChange | None) -> dict[str, float] | None:
    """The effect of an attempt on a rating; None as long as it is not known."""
    if change is None:
        return None
    after = change.after
    return {"before": change.before, "after": after.rating, "deviation": after.deviation}


def find_hint(tried: Try) -> str | None:
    """The cell where the next action begins; None if it begins on none, or there is no action."""
    if tried.standing is Standing.SOLVED:
        return None
    cells = find_cells(tried.expected)
    return cells[0] if cells else None


def follow(tried: Try) -> tuple[Position, Course]:
    """The position of a try, and how it came about."""
    position = tried.dialect.read_fen(tried.puzzle.fen)
    course = Course(action=tried.puzzle.last)
    gains: list[Gain] = []
    for ply, action in enumerate(tried.played, 1):
        texts = tried.dialect.coordinate(action), tried.dialect.san(position, action)
        gains += play_counted(position, action)
        course = Course(ply, *texts, gains)
    return position, course


def render_line(puzzle: Puzzle, line: Sequence[Action]) -> list[dict[str, Any]]:
    """The actions of a line, each with the side that plays it."""
    dialect = find_dialect(puzzle.variant)
    position, told = dialect.read_fen(puzzle.fen), []
    for ply, action in enumerate(line, 1):
        one = {"ply": ply, "number": position.number, "side": SIDES[position.side]}
        coordinate = dialect.coordinate(action)
        told.append({**one, "action": coordinate, "san": dialect.advance(position, action)})
    return told


def read_line(puzzle: Puzzle) -> list[Action]:
    """The actions of a puzzle's line."""
    dialect = find_dialect(puzzle.variant)
    position, line = dialect.read_fen(puzzle.fen), []
    for token in puzzle.line:
        line.append(dialect.resolve(position, token))
        position.play(line[-1])
    return line
