"""The actions that led to a position, for what its FEN does not say."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from notation.registry import find_dialect


@dataclass(frozen=True, slots=True)
class Past:
    """A game up to a position: the first position's string, the actions in coordinate form.

    Without the string it is the variant's own first position.
    """

    variant: str
    first: str | None
    actions: Sequence[str]

    def iterate_points(self) -> Iterator[tuple[int, int]]:
        """Both sides' points at first and after each action; nothing in a game without points."""
        written = find_dialect(self.variant)
        position = written.start({}) if self.first is None else written.read_fen(self.first)
        for action in (None, *self.actions):
            if action is not None:
                position.play(written.resolve(position, action))
            if (points := position.points()) is not None:
                yield points
