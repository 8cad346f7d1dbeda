"""The actions of a game or a variation as written, with what stands beside them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

WrittenMove: TypeAlias = tuple[str, int]
"""An action's token and its offset in the section's text."""


@dataclass(slots=True)
class Notes:
    """What stands beside an action as written; see `notation.game.Move`."""

    nags: list[int] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    variations: list[WrittenLine] = field(default_factory=list)


@dataclass(slots=True)
class WrittenLine:
    """The actions of a game or a variation as written.

    `notes` holds those of the few actions that have any, by index. `comments` are those of a
    game without actions; while the line is read, those that wait for its next action.
    """

    moves: list[WrittenMove] = field(default_factory=list)
    notes: dict[int, Notes] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)

    def beside_last(self) -> Notes:
        """The notes of the last action."""
        return self.notes.setdefault(len(self.moves) - 1, Notes())

    def end(self) -> None:
        """End the line: comments that waited for a next action go to the last one."""
        if self.moves and self.comments:
            self.beside_last().after += self.comments
            self.comments = []
