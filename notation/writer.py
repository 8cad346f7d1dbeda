"""Games as text in the one canonical form (PGN standard, 4 and 8; rules page `notation.md`).

Tags: the roster, then the others in alphabetical order. Movetext: lines of at most 79 characters
(longer only where a single word is), a number before each side's first action of a full move
when the first side acts, at the beginning and after a comment. Ends with one line feed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from engine.errors import IllegalAction
from engine.position import Position
from notation.dialect import Dialect
from notation.game import Game, Move, roster
from notation.judge import claim
from notation.registry import dialect

WIDTH: Final = 79
"""Characters in a line of movetext, its end not counted (PGN standard, 4.3)."""


def write(game: Game) -> str:
    """The canonical text of a game; raises `engine.errors.IllegalAction` for one that is none."""
    return f"{''.join(_tag_lines(game))}\n{_filled(_words(game))}"


def write_all(games: Iterable[Game]) -> Iterator[str]:
    """The text of games in order, parted by blank lines; join the parts or write them out."""
    separator = ""
    for game in games:
        yield separator + write(game)
        separator = "\n"


def tag_order(game: Game) -> list[str]:
    """The names of a game's tags in the order in which they are written."""
    first = roster(game.variant)
    return [*first, *sorted(name for name in game.tags if name not in first)]


def _tag_lines(game: Game) -> Iterator[str]:
    for name in tag_order(game):
        value = game.tags[name].replace("\\", "\\\\").replace('"', '\\"')
        yield f'[{name} "{value}"]\n'


def _words(game: Game) -> Iterator[str]:
    """The movetext word by word: numbers, actions, glyphs, the words of comments, the result."""
    written = dialect(game.variant)
    position = written.start(game.tags)
    counted: tuple[int, int] | None = None
    for comment in game.comments:
        yield from _comment(comment)
    for index, move in enumerate(game.moves):
        turn = position.number, position.side
        before = [word for comment in move.before for word in _comment(comment)]
        number = f"{position.number}{'...' if position.side else '.'}"
        if not index:
            yield from (*before, number)
        elif before or counted is None or (not position.side and turn != counted):
            yield from (number, *before)
        if not position.is_legal(move.action):
            raise IllegalAction(move.action, index + 1)
        yield _san(game, written, position, move, last=index == len(game.moves) - 1)
        position.play(move.action)
        for nag in move.nags:
            yield f"${nag}"
        for comment in move.after:
            yield from _comment(comment)
        counted = None if move.after else turn
    yield game.result


def _san(game: Game, written: Dialect, position: Position, move: Move, *, last: bool) -> str:
    stated = claim(game.tags, game.result) if last else None
    return written.san(position, move.action, stated)


def _comment(comment: str) -> Iterator[str]:
    yield from ("{" + comment + "}").split(" ")


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
