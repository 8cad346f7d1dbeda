"""The movetext of a record, made word by word while its actions are played.

Lines have at most 79 characters (more only where a single word has). A number stands before each
side's first action of a full move when the first side acts, at the beginning, after a comment and
after a variation. After an action come its glyphs, its comments and its variations, each variation
in parentheses that touch its first and last word (PGN standard, 4.3 and 8.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

WIDTH: Final = 79
"""Characters in a line of movetext, its end not counted (PGN standard, 4.3)."""

_RISKY: Final = "%[\ufeff"


class Movetext:
    """The words of one line of play, after those of the lines that contain it.

    Everything around an action is added before the next action.
    """

    def __init__(self, words: list[str] | None = None) -> None:
        self._words: list[str] = [] if words is None else words
        self._start = len(self._words)
        self._counted = 0
        """The turn of the last action; 0 where the next one gets its number in any case."""

    def add_comments(self, comments: Sequence[str]) -> None:
        """Add the comments of a game without actions."""
        for comment in comments:
            self._words += _comment(comment)

    def add_action(self, number: int, side: int, san: str, before: Sequence[str] = ()) -> None:
        """Add an action by `side` in full move `number`, with the comments before it."""
        turn = 2 * number + side
        if before or not self._counted or (not side and turn != self._counted):
            dots = "..." if side else "."
            if len(self._words) == self._start:
                self.add_comments(before)
                self._words.append(f"{number}{dots}")
            else:
                self._words.append(f"{number}{dots}")
                self.add_comments(before)
        self._counted = turn
        self._words.append(san)

    def add_actions(self, turns: Sequence[int], sans: Sequence[str]) -> None:
        """Add consecutive actions with nothing beside them.

        A turn is twice the number of the full move, plus 1 if the second side acts.
        """
        words, counted = self._words, self._counted
        for turn, san in zip(turns, sans, strict=True):
            if not counted or (not turn & 1 and turn != counted):
                words.append(f"{turn >> 1}{'...' if turn & 1 else '.'}")
            counted = turn
            words.append(san)
        self._counted = counted

    def add_annotations(self, nags: Sequence[int], after: Sequence[str]) -> None:
        """Add the glyphs and the comments after the last action."""
        self._words += [f"${nag}" for nag in nags]
        if after:
            self.add_comments(after)
            self._counted = 0

    def open_variation(self) -> Movetext:
        """A variation of the last action, to be filled and closed before anything else."""
        self._counted = 0
        return Movetext(self._words)

    def close_variation(self) -> None:
        """End a variation."""
        self._words[self._start] = f"({self._words[self._start]}"
        self._words[-1] += ")"

    def line(self) -> str:
        """A variation on one line, without its parentheses."""
        return " ".join(self._words)

    def text(self, result: str) -> str:
        """The lines of a game with this result, each with its line feed.

        No line begins with `%`, `[` or a byte order mark, which would make it an escape or a
        tag pair or be dropped: a word of a comment that begins so gets a space before it.
        """
        text = " ".join([*self._words, result])
        lines: list[str] = []
        at = 0
        while at < len(text):
            blank = " " if text[at] in _RISKY else ""
            end = _find_line_end(text, at, WIDTH - len(blank))
            lines.append(f"{blank}{text[at:end]}\n")
            at = end + 1
        return "".join(lines)


def _find_line_end(text: str, at: int, room: int) -> int:
    """The end of the line that begins at `at`: as many words as there is room for, at least one."""
    if len(text) - at <= room:
        return len(text)
    end = text.rfind(" ", at, at + room + 1)
    if end < 0:
        end = text.find(" ", at)
    return len(text) if end < 0 else end


def _comment(comment: str) -> list[str]:
    return ("{" + comment + "}").split(" ")
