"""The collection of puzzles: read once from the files in `seed/`, never changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Final

from engine.registry import VARIANTS
from service.errors import NotFound
from service.puzzles.puzzle import Puzzle

COMMENT: Final = "#"
"""Begins a line of a file that is not a puzzle."""


class Collection:
    """Puzzles in the order of their ids, which is random."""

    def __init__(self, puzzles: Sequence[Puzzle]) -> None:
        self._by_id = {one.id: one for one in sorted(puzzles, key=lambda one: one.id)}

    def __len__(self) -> int:
        return len(self._by_id)

    def __contains__(self, id: str) -> bool:
        return id in self._by_id

    def find(self, id: str) -> Puzzle:
        """The puzzle of this id; raises NotFound."""
        if id not in self._by_id:
            raise NotFound("puzzle", id)
        return self._by_id[id]

    def list_puzzles(
        self, variant: str | None = None, theme: str | None = None, after: str = ""
    ) -> Iterator[Puzzle]:
        """The puzzles of a variant and a theme whose ids come after `after`."""
        for id, puzzle in self._by_id.items():
            fits = variant in (None, puzzle.variant) and (theme is None or theme in puzzle.themes)
            if fits and id > after:
                yield puzzle

    def find_next(
        self, variant: str | None = None, theme: str | None = None, after: str = ""
    ) -> Puzzle:
        """The next puzzle, the first one after the last; raises NotFound."""
        for behind in (after, ""):
            for puzzle in self.list_puzzles(variant, theme, behind):
                return puzzle
        raise NotFound("puzzle", theme or "")

    def find_daily(self, day: date, variant: str | None = None) -> Puzzle:
        """The puzzle of a day: a different one each day until all were used; raises NotFound."""
        puzzles = list(self.list_puzzles(variant))
        if not puzzles:
            raise NotFound("puzzle", day.isoformat())
        return puzzles[day.toordinal() % len(puzzles)]

    def count_themes(self, variant: str) -> Mapping[str, int]:
        """How many puzzles of a variant each theme has."""
        counted: dict[str, int] = {}
        for puzzle in self.list_puzzles(variant):
            for theme in puzzle.themes:
                counted[theme] = counted.get(theme, 0) + 1
        return counted


@cache
def load_collection() -> Collection:
    """The puzzles that come with the service."""
    return Collection([puzzle for name in VARIANTS for puzzle in read_seed(name)])


def read_seed(variant: str) -> list[Puzzle]:
    """The puzzles of a variant's file."""
    text = files("service.puzzles").joinpath("seed", f"{variant}.txt").read_text(encoding="utf-8")
    lines = (line for line in text.splitlines() if not line.startswith(COMMENT))
    return [Puzzle.from_line(variant, line) for line in lines]
