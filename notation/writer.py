"""Games as text in the one canonical form (PGN standard, 4 and 8; rules page `notation.md`).

Tags: the roster, then the others in alphabetical order; an empty line; the movetext as
`notation.movetext` has it. Ends with one line feed.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.errors import IllegalAction
from engine.outcome import Outcome
from engine.position import Position
from notation.dialect import Dialect
from notation.game import Game, Line, roster
from notation.judge import read_claim
from notation.movetext import Movetext
from notation.registry import find_dialect


def write(game: Game) -> str:
    """The canonical text of a game; raises `engine.errors.IllegalAction` if it is not legal."""
    return f"{write_heading(game.variant, game.tags)}\n{write_movetext(game)}"


def write_heading(variant: str, tags: Mapping[str, str]) -> str:
    """The lines of these tags, which a record of this variant can hold, in canonical order.

    They must include the tags of the roster.
    """
    first = roster(variant)
    order = [*first, *sorted(tags.keys() - first)]
    return "".join([write_tag(name, tags[name]) for name in order])


def write_tag(name: str, value: str) -> str:
    """The line of a tag.

    >>> write_tag("Event", 'The "Open"')
    '[Event "The \\\\"Open\\\\""]\\n'
    """
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]\n'


def write_movetext(game: Game) -> str:
    """The lines after a game's tags; raises `engine.errors.IllegalAction`."""
    written = find_dialect(game.variant)
    text = Movetext()
    text.add_comments(game.comments)
    claimed = read_claim(game.tags, game.result)
    _add(text, game.moves, written, written.start(game.tags), 1, claimed)
    return text.text(game.result)


def write_variation(line: Line, written: Dialect, position: Position) -> str:
    """The canonical text of a variation that begins in a position, on one line.

    It has no parentheses around it. The position is changed; raises
    `engine.errors.IllegalAction`.
    """
    text = Movetext()
    _add(text, line, written, position, 1)
    return text.line()


def _add(
    text: Movetext,
    line: Line,
    written: Dialect,
    position: Position,
    ply: int,
    claimed: Outcome | None = None,
) -> None:
    """Add a line played from a position; `ply` is its first action, `claimed` its stated end."""
    last = ply + len(line) - 1
    for at, move in enumerate(line, ply):
        if not position.is_legal(move.action):
            raise IllegalAction(move.action, at)
        here = position.copy() if move.variations else position
        number, side = position.number, position.side
        san = written.advance(position, move.action, claimed if at == last else None)
        text.add_action(number, side, san, move.before)
        text.add_annotations(move.nags, move.after)
        for variation in move.variations:
            inner = text.open_variation()
            _add(inner, variation, written, here.copy(), at)
            inner.close_variation()
