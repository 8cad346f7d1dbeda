"""The collection of puzzles: read once from the files in `seed/`, never changed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache
from hashlib import sha256
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

    @property
    def digest(self) -> str:
        """A digest of all puzzles, with everything that is known about them."""
        lines = (f"{one.variant}\t{one.to_line()}" for one in self._by_id.values())
        return sha256("\n".join(lines).encode()).hexdigest()

    def find(self, id: str) -> Puzzle:
        """The puzzle of this id; raises NotFound."""
        if id not in self._by_id:
            raise NotFound("puzzle", id)
        return self._by_id[id]

    def list_puzzles(self, variant: str | None = None) -> Iterator[Puzzle]:
        """All puzzles, or those of a variant."""
        for puzzle in self._by_id.values():
            if variant in (None, puzzle.variant):
                yield puzzle

    def list_daily(self, day: date, variant: str | None = None) -> list[Puzzle]:
        """The puzzle of a day, a different one each day until all were used, and those after it."""
        puzzles = list(self.list_puzzles(variant))
        first = day.toordinal() % max(1, len(puzzles))
        return puzzles[first:] + puzzles[:first]


@cache
def load_collection() -> Collection:
    """The puzzles that come with the service."""
    return Collection([puzzle for name in VARIANTS for puzzle in read_seed(name)])


def read_seed(variant: str) -> list[Puzzle]:
    """The puzzles of a variant's file."""
    text = files("service.puzzles").joinpath("seed", f"{variant}.txt").read_text(encoding="utf-8")
    lines = (line for line in text.splitlines() if not line.startswith(COMMENT))
    return [Puzzle.from_line(variant, line) for line in lines]
