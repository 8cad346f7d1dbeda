"""How Kerak is written (rules page `notation.md`).

Leniencies of `resolve`: either form; `x`, `+`, `#` missing or superfluous; more of the origin
than needed; squares with capital letters. `A5B4` may then be an Archer's move or a piece's from
a5: it is ambiguous if both are legal.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from engine.errors import InvalidPosition
from engine.kerak import KERAK
from engine.kerak.action import PASS, is_move, move, origin_of, placed, placement, target_of
from engine.kerak.board import BOARD, HOME
from engine.kerak.combat import Combat, combat
from engine.kerak.kernel import Position as Kerak
from engine.kerak.pieces import Kind, kind_of, piece
from engine.kerak.validity import PIECES
from engine.outcome import Outcome
from engine.position import Action, Position
from engine.variant import Variant
from notation.dialect import Dialect
from notation.errors import AfterTheEnd, AmbiguousMove, BadFen, IllegalMove, UnreadableToken
from notation.fen import (
    read_choice,
    read_counts,
    read_number,
    read_points,
    read_rows,
    split_fields,
    tagged_fen,
    write_counts,
    write_rows,
)
from notation.nearest import nearest
from notation.squares import disambiguation

FIELDS: Final = ("placement", "side", "hand", "points", "move")
LETTERS: Final = "IAVNHC"
"""The letters of the kinds of piece, in their table's order."""

_PIECES: Final = dict(zip(LETTERS + LETTERS.lower(), PIECES, strict=True))
_LETTER_OF: Final = {0: "", **{one: letter for letter, one in _PIECES.items()}}
_SPACES: Final = {name: space for space, name in enumerate(BOARD.names)}
_ROWS: Final = BOARD.rows[::-1]
_SIDES: Final = "rb"
_MOVE: Final = re.compile(rf"([{LETTERS}])([a-i]?[1-9]?)x?([a-i][1-9])[+#]*")
_COORDINATE: Final = re.compile(r"([a-i][1-9])x?([a-i][1-9])[+#]*")
_PLACEMENT: Final = re.compile(rf"([{LETTERS}])@([a-i][1-9])[+#]*")
_PASS: Final = re.compile(r"--[+#]*")
_SMALL: Final = str.maketrans("ABCDEFGHI", "abcdefghi")
_LONGEST: Final = 32


@dataclass(frozen=True, slots=True)
class Move:
    """A move as written: `kind` is None in coordinate form, `origin` what is said of the start."""

    kind: Kind | None
    origin: str
    target: int


@dataclass(frozen=True, slots=True)
class Placement:
    """A piece of the side to place, put on a space."""

    kind: Kind
    space: int


@dataclass(frozen=True, slots=True)
class Pass:
    """`--`"""


Syntax: TypeAlias = Move | Placement | Pass


@lru_cache(maxsize=4096)
def parse_token(token: str) -> tuple[Syntax, ...]:
    """What a token may say, without a position; nothing where no form fits.

    >>> parse_token("A5xb4")
    (Move(kind=<Kind.ARCHER: 2>, origin='5', target=5),)
    >>> len(parse_token("A5xB4"))
    2
    """
    if len(token) > _LONGEST:
        return ()
    if written := _as_written(token):
        return (written,)
    small = token.translate(_SMALL)
    readings = (_as_written(small), _as_written(token[:1] + small[1:]))
    return tuple(reading for reading in readings if reading is not None)


def _as_written(token: str) -> Syntax | None:
    match = _MOVE.fullmatch(token) or _COORDINATE.fullmatch(token) or _PLACEMENT.fullmatch(token)
    if match is None:
        return Pass() if _PASS.fullmatch(token) else None
    target = _SPACES.get(match.groups()[-1])
    if target is None:
        return None
    if match.re is _COORDINATE:
        return Move(None, match.group(1), target) if match.group(1) in _SPACES else None
    kind = kind_of(_PIECES[match.group(1)])
    return Placement(kind, target) if match.re is _PLACEMENT else Move(kind, match.group(2), target)


class KerakDialect(Dialect):
    """See `notation.dialect.Dialect`."""

    @property
    def variant(self) -> Variant:
        """Kerak."""
        return KERAK

    # Positions.

    def read_fen(self, text: str) -> Kerak:
        """The position a canonical FEN describes; raises BadFen."""
        rows, side, hand, points, number = split_fields(text, FIELDS)
        cells = read_rows(rows, [len(row) for row in _ROWS], "".join(_PIECES))
        try:
            return Kerak(
                {
                    space: _PIECES[cell]
                    for spaces, row in zip(_ROWS, cells, strict=True)
                    for space, cell in zip(spaces, row, strict=True)
                    if cell
                },
                read_choice(side, "side", _SIDES),
                dict(zip(PIECES, read_counts(hand, "".join(_PIECES), "hand"), strict=True)),
                read_points(points),
                read_number(number, "move", least=1),
            )
        except InvalidPosition as why:
            raise BadFen(why.field, why.reason) from why

    def write_fen(self, position: Position) -> str:
        """The canonical FEN of a position."""
        kerak = _kerak(position)
        rows = write_rows([[_LETTER_OF[kerak.piece_at(space)] for space in row] for row in _ROWS])
        hand = write_counts([kerak.in_hand(one) for one in PIECES], "".join(_PIECES))
        red, blue = kerak.points()
        return f"{rows} {_SIDES[kerak.side]} {hand} {red}-{blue} {kerak.number}"

    def start(self, tags: Mapping[str, str]) -> Kerak:
        """The first position of a game with these tags; raises BadFen."""
        fen = tagged_fen(tags)
        return _kerak(KERAK.start()) if fen is None else self.read_fen(fen)

    # Actions.

    def coordinate(self, action: Action) -> str:
        """The coordinate form."""
        if action == PASS:
            return "--"
        target = BOARD.names[target_of(action)]
        if is_move(action):
            return BOARD.names[origin_of(action)] + target
        return f"{LETTERS[placed(action) - 1]}@{target}"

    def san(self, position: Position, action: Action, claim: Outcome | None = None) -> str:
        """The canonical short form of a legal action; Kerak has no use for `claim`."""
        if not is_move(action):
            return self.coordinate(action)
        kerak = _kerak(position)
        origin, target = origin_of(action), target_of(action)
        kind = kind_of(kerak.piece_at(origin))
        rivals = [BOARD.names[origin_of(rival)] for rival in kerak.legal_to(kind, target)]
        start = LETTERS[kind - 1] + disambiguation(BOARD.names[origin], rivals)
        captured = kerak.piece_at(target)
        if not captured:
            return start + BOARD.names[target]
        return f"{start}x{BOARD.names[target]}" + "#" * (kind_of(captured) is Kind.CASTLE)

    def resolve(self, position: Position, token: str) -> Action:
        """The legal action that a token means; see `notation.dialect.Dialect.resolve`."""
        kerak = _kerak(position)
        readings = parse_token(token)
        fits = sorted({action for reading in readings for action in _fits(kerak, reading)})
        if len(fits) == 1:
            return fits[0]
        token = token[:_LONGEST]
        if kerak.outcome() is not None:
            raise AfterTheEnd(token, "the game has ended before it")
        if not readings:
            reason = "no form of a Kerak action"
            raise UnreadableToken(token, reason, nearest(self, kerak, token))
        if fits:
            candidates = [self.san(kerak, action) for action in fits]
            raise AmbiguousMove(token, f"fits {len(fits)} legal actions", candidates)
        raise IllegalMove(token, _why(kerak, readings[0]), nearest(self, kerak, token))


def _kerak(position: Position) -> Kerak:
    if not isinstance(position, Kerak):
        raise TypeError(f"not a position of Kerak: {position!r}")
    return position


def _fits(kerak: Kerak, syntax: Syntax) -> list[Action]:
    """The legal actions that a token may mean."""
    if isinstance(syntax, Move) and syntax.kind is not None:
        moves = kerak.legal_to(syntax.kind, syntax.target)
        return [action for action in moves if syntax.origin in BOARD.names[origin_of(action)]]
    if isinstance(syntax, Move):
        action: Action = move(_SPACES[syntax.origin], syntax.target)
    elif isinstance(syntax, Placement):
        action = placement(syntax.kind, syntax.space)
    else:
        action = PASS
    return [action] if kerak.is_legal(action) else []


def _why(kerak: Kerak, syntax: Syntax) -> str:
    """Why no legal action fits."""
    side = KERAK.sides[kerak.side]
    if isinstance(syntax, Placement):
        return _why_not_placed(kerak, syntax)
    if kerak.building:
        return f"{side} has pieces to place first"
    if isinstance(syntax, Pass):
        return f"{side} has a legal move and may not pass"
    origins = [space for space in range(len(BOARD.names)) if _may_start(kerak, syntax, space)]
    start = f" on {syntax.origin}" if syntax.origin else ""
    mover = f"{syntax.kind.title if syntax.kind else 'piece'} of {side}'s{start}"
    if not origins:
        return f"there is no {mover}"
    if not kerak.piece_at(syntax.target):
        return f"no {mover} can go to {BOARD.names[syntax.target]}"
    return max((combat(kerak, origin, syntax.target) for origin in origins), key=_promise).reason


def _may_start(kerak: Kerak, syntax: Move, space: int) -> bool:
    """Whether a piece of the mover's that fits the token stands there."""
    one = kerak.piece_at(space)
    return (
        one != 0
        and one == piece(kerak.side, syntax.kind or kind_of(one))
        and syntax.origin in BOARD.names[space]
    )


def _promise(refused: Combat) -> int:
    """How near a refused capture came to success."""
    if refused.best is None:
        return -1000
    return refused.best.attack - refused.best.defence


def _why_not_placed(kerak: Kerak, syntax: Placement) -> str:
    side = KERAK.sides[kerak.side]
    if not kerak.building:
        return "all pieces have been placed"
    if not kerak.in_hand(piece(kerak.side, syntax.kind)):
        return f"{side} has no {syntax.kind.title} left to place"
    if not HOME[kerak.side] >> syntax.space & 1:
        return f"{BOARD.names[syntax.space]} is not in {side}'s own three rows"
    return f"{BOARD.names[syntax.space]} is taken"
