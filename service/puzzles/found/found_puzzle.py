"""A puzzle with the place in a game where it was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from service.puzzles.puzzle import Puzzle


@dataclass(frozen=True, slots=True)
class FoundPuzzle:
    """A puzzle that is a game's position after `ply` actions."""

    ply: int
    puzzle: Puzzle

    def to_json(self) -> dict[str, Any]:
        """The puzzle as JSON values, without its variant."""
        puzzle = self.puzzle
        return {
            "ply": self.ply,
            "fen": puzzle.fen,
            "last": puzzle.last,
            "line": " ".join(puzzle.line),
            "themes": " ".join(puzzle.themes),
            "estimate": puzzle.rating,
        }

    @classmethod
    def from_json(cls, variant: str, values: Mapping[str, Any]) -> Self:
        """The puzzle of a variant that `to_json` wrote."""
        puzzle = Puzzle(
            variant,
            values["fen"],
            values["last"],
            tuple(values["line"].split()),
            tuple(values["themes"].split()),
            values["estimate"],
        )
        return cls(values["ply"], puzzle)
