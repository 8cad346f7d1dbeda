"""A puzzle: a position, the line that solves it, and its themes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Self

from notation.registry import find_dialect

SEPARATOR: Final = "\t"
ID_LENGTH: Final = 10
ID: Final = re.compile(f"[0-9a-f]{{{ID_LENGTH}}}")
"""The form of a puzzle's id."""


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position in which the side to act has a single action that wins, or gains.

    `last` is the action before it, and `line` is the solution in coordinate form: the solver's
    actions and the answers, in the order in which they are played, beginning and ending with an
    action of the solver. `themes` are names of `service.puzzles.themes`; `rating` is the puzzle's
    rating before anybody has tried it.
    """

    variant: str
    fen: str
    last: str | None
    line: tuple[str, ...]
    themes: tuple[str, ...]
    rating: int

    @property
    def id(self) -> str:
        """Hexadecimal digits that identify the position, whatever game it is from."""
        return identify(self.variant, self.fen)

    def to_line(self) -> str:
        """The puzzle as a line of a file of its variant."""
        fields = (
            self.fen,
            self.last or "-",
            " ".join(self.line),
            " ".join(self.themes),
            str(self.rating),
        )
        return SEPARATOR.join(fields)

    @classmethod
    def from_line(cls, variant: str, text: str) -> Self:
        """The puzzle that `to_line` wrote; raises ValueError for a line with other fields."""
        fen, last, line, themes, rating = text.split(SEPARATOR)
        return cls(
            variant,
            fen,
            None if last == "-" else last,
            tuple(line.split()),
            tuple(themes.split()),
            int(rating),
        )


def identify(variant: str, fen: str) -> str:
    """The id of a puzzle with this position."""
    key = find_dialect(variant).position_key(fen)
    return sha256(f"{variant} {key}".encode()).hexdigest()[:ID_LENGTH]
