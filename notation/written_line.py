"""The actions of a game or a variation as written, with what stands beside them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final, TypeAlias

from notation.lexer import find_symbol

WrittenMove: TypeAlias = tuple[str, int]
"""An action's token and its offset in the section's text."""

_FIRST: Final = itemgetter(0)


@dataclass(slots=True)
class Notes:
    """The annotation of an action as written; see `notation.game.Move`."""

    nags: list[int] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    variations: list[WrittenLine] = field(default_factory=list)


@dataclass(slots=True)
class WrittenLine:
    """The actions of a game or a variation as written.

    `tokens` are those of its actions. `notes` holds those of the few actions that have any, by
    index. `comments` are those of a game without actions; while the line is read, those that wait
    for its next action. `rows` are the index and the offset in `text`, the section's text, of each
    action or of the first of several in a row; the others are only located if one is wrong.
    """

    text: str = ""
    tokens: list[str] = field(default_factory=list)
    rows: list[tuple[int, int]] = field(default_factory=list)
    notes: dict[int, Notes] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)

    @property
    def moves(self) -> list[WrittenMove]:
        """The actions with their offsets."""
        return [(token, self.find_place(index)) for index, token in enumerate(self.tokens)]

    def find_place(self, index: int) -> int:
        """The offset in the section's text of the action with this index."""
        first, offset = self.rows[bisect_right(self.rows, index, key=_FIRST) - 1]
        return find_symbol(self.text, offset, index - first) if index > first else offset

    def count_actions(self) -> int:
        """The number of actions, with those of variations."""
        variations = (line for beside in self.notes.values() for line in beside.variations)
        return len(self.tokens) + sum(line.count_actions() for line in variations)

    def add(self, tokens: Sequence[str], offset: int) -> None:
        """Add consecutive actions, the first of them at this offset."""
        if self.comments:
            self.notes.setdefault(len(self.tokens), Notes()).before = self.comments
            self.comments = []
        self.rows.append((len(self.tokens), offset))
        self.tokens += tokens

    def beside_last(self) -> Notes:
        """The notes of the last action."""
        return self.notes.setdefault(len(self.tokens) - 1, Notes())

    def end(self) -> None:
        """End the line: comments waiting for a next action go to the last one."""
        if self.tokens and self.comments:
            self.beside_last().after += self.comments
            self.comments = []
