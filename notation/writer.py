"""Games as text in the one canonical form (PGN standard, 4 and 8; rules page `notation.md`).

Tags: the roster, then the others in alphabetical order. Movetext: lines of at most 79 characters
(longer only where a single word is), a number before each side's first action of a full move
when the first side acts, at the beginning, after a comment and after a variation. Behind an
action stand its glyphs, its comments and its variations, each in parentheses that touch their
first and last word. Ends with one line feed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from engine.errors import IllegalAction
from engine.outcome import Outcome
from engine.position import Position
from notation.dialect import Dialect
from notation.game import Game, Line, Move, roster
from notation.judge import claim
from notation.registry import dialect

WIDTH: Final = 79
"""Characters in a line of movetext, its end not counted (PGN standard, 4.3)."""


def write(game: Game) -> str:
    """The canonical text of a game; raises `engine.errors.IllegalAction` for one that is none."""
    return f"{heading(game.variant, game.tags)}\n{_filled(_words(game))}"


def write_all(games: Iterable[Game]) -> Iterator[str]:
    """The text of games in order, parted by blank lines; join the parts or write them out."""
    separator = ""
    for game in games:
        yield separator + write(game)
        separator = "\n"


def heading(variant: str, tags: Mapping[str, str]) -> str:
    """The lines of these tags, which a record of this variant can hold, in their order.

    Those of the roster must be among them.
    """
    first = roster(variant)
    order = [*first, *sorted(tags.keys() - first)]
    return "".join([f'[{name} "{_escaped(tags[name])}"]\n' for name in order])


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"')


def _words(game: Game) -> list[str]:
    """The movetext word by word: numbers, actions, glyphs, the words of comments, the result."""
    written = dialect(game.variant)
    words = [word for comment in game.comments for word in _comment(comment)]
    movetext = _Movetext(words, written, written.start(game.tags))
    movetext.add(game.moves, claim(game.tags, game.result))
    return [*words, game.result]


class _Movetext:
    """The words of a line, added to those before them as it is played from a position.

    `ply` is the number of its first action in the game.
    """

    def __init__(
        self, words: list[str], written: Dialect, position: Position, ply: int = 1
    ) -> None:
        self._words = words
        self._dialect = written
        self._position = position
        self._ply = ply

    def add(self, line: Line, claimed: Outcome | None = None) -> None:
        """Add a line that ends as claimed."""
        position = self._position
        counted: tuple[int, int] | None = None
        for index, move in enumerate(line):
            turn = position.number, position.side
            self._introduce(move, turn, first=not index, counted=counted)
            if not position.is_legal(move.action):
                raise IllegalAction(move.action, self._ply + index)
            last = index == len(line) - 1
            self._words.append(self._dialect.san(position, move.action, claimed if last else None))
            self._words += [f"${nag}" for nag in move.nags]
            for comment in move.after:
                self._words += _comment(comment)
            for variation in move.variations:
                self._add_variation(variation, self._ply + index)
            position.play(move.action)
            counted = None if move.after or move.variations else turn

    def _introduce(
        self, move: Move, turn: tuple[int, int], *, first: bool, counted: tuple[int, int] | None
    ) -> None:
        """Add the comments before an action, and the number where one is due."""
        before = [word for comment in move.before for word in _comment(comment)]
        number = f"{turn[0]}{'...' if turn[1] else '.'}"
        if first:
            self._words += [*before, number]
        elif before or counted is None or (not turn[1] and turn != counted):
            self._words += [number, *before]

    def _add_variation(self, line: Line, ply: int) -> None:
        words = self._words
        first = len(words)
        _Movetext(words, self._dialect, self._position.copy(), ply).add(line)
        words[first] = f"({words[first]}"
        words[-1] += ")"


def _comment(comment: str) -> list[str]:
    return ("{" + comment + "}").split(" ")


def _filled(words: Iterable[str]) -> str:
    """Words filled into lines.

    No line begins with `%`, `[` or a byte order mark, which would make it an escape or a tag
    pair or be dropped: such a word of a comment has a space before it.
    """
    lines: list[str] = []
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) <= WIDTH:
            line = f"{line} {word}"
            continue
        if line:
            lines.append(line + "\n")
        line = f" {word}" if word[0] in "%[\ufeff" else word
    return "".join([*lines, line + "\n"])
