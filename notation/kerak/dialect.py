"""Kerak's positions and actions as text; `notation.kerak.token` says what readers accept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Final

from engine.errors import InvalidPosition
from engine.kerak import KERAK
from engine.kerak.action import PASS, is_move, origin_of, placed, target_of
from engine.kerak.board import BOARD, SPACES
from engine.kerak.combat import combat, list_captures
from engine.kerak.kernel import Position as Kerak
from engine.kerak.naming import describe, find_action, play_readings
from engine.kerak.validity import PIECES
from engine.naming import ACTION, CAPTURE, END, KIND, TOLD
from engine.outcome import Outcome
from engine.phrase import phrase
from engine.position import Action, Position
from engine.variant import Variant
from notation.combat import CaptureFields, CombatFields
from notation.dialect import Dialect, FoundActions
from notation.errors import (
    BadFen,
    BadSquare,
    IllegalMove,
    UnreadableToken,
)
from notation.fen import (
    quote_text,
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
from notation.kerak.combat import describe_capture, describe_combat
from notation.kerak.refusal import explain_refusal, refused_capture
from notation.kerak.token import (
    LETTERS,
    LONGEST,
    PIECE_OF,
    SPACE_OF,
    MoveSyntax,
    Syntax,
    parse_token,
    read_action,
    read_token,
)
from notation.nearest import find_nearest
from notation.refusal import refuse_token
from notation.squares import write_origin

FIELDS: Final = ("placement", "side", "hand", "points", "move")

_LETTER_OF: Final = {one: letter for letter, one in PIECE_OF.items()}
_CELLS: Final = "".join(_LETTER_OF.get(piece, " ") for piece in range(256)).encode()
"""The character of a row for each piece."""
_NAMES: Final = BOARD.names
_ROWS: Final = BOARD.rows[::-1]
_ENDS: Final = list(accumulate(map(len, _ROWS)))
_SLICES: Final = [slice(end - len(row), end) for row, end in zip(_ROWS, _ENDS, strict=True)]
_SIDES: Final = "rb"
_HAND_LETTERS: Final = "".join(PIECE_OF)


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
        cells = read_rows(rows, [len(row) for row in _ROWS], "".join(PIECE_OF))
        try:
            return Kerak(
                {
                    space: PIECE_OF[cell]
                    for spaces, row in zip(_ROWS, cells, strict=True)
                    for space, cell in zip(spaces, row, strict=True)
                    if cell
                },
                read_choice(side, "side", _SIDES),
                dict(zip(PIECES, read_counts(hand, "".join(PIECE_OF), "hand"), strict=True)),
                read_points(points),
                read_number(number, "move", least=1),
            )
        except InvalidPosition as why:
            raise BadFen(why.field, why.reason) from why

    def write_fen(self, position: Position) -> str:
        """The canonical FEN of a position."""
        kerak = _kerak(position)
        cells = self.cells(kerak.pack()).decode()
        rows = write_rows([cells[row] for row in _SLICES])
        hand = write_counts(tuple(map(kerak.in_hand, PIECES)), _HAND_LETTERS)
        red, blue = kerak.points()
        return f"{rows} {_SIDES[kerak.side]} {hand} {red}-{blue} {kerak.number}"

    def identify(self, position: Position) -> bytes:
        """See `notation.dialect.Dialect.identify`."""
        return _kerak(position).pack()

    def cells(self, identity: bytes) -> bytes:
        """See `notation.dialect.Dialect.cells`."""
        return identity[:SPACES].translate(_CELLS)

    def start(self, tags: Mapping[str, str]) -> Kerak:
        """The first position of a game with these tags; raises BadFen."""
        fen = tagged_fen(tags)
        return _kerak(KERAK.start()) if fen is None else self.read_fen(fen)

    # Actions.

    def coordinate(self, action: Action) -> str:
        """The coordinate form."""
        return _coordinate(action)

    def san(self, position: Position, action: Action, claim: Outcome | None = None) -> str:
        """The canonical short form of a legal action; Kerak has no use for `claim`."""
        return _write_san(describe(_kerak(position), action))

    def resolve(self, position: Position, token: str) -> Action:
        """The legal action that a token means; see `notation.dialect.Dialect.resolve`."""
        kerak = _kerak(position)
        found = find_action(kerak, read_token(token))
        if found > 0:
            return Action(found)
        readings = parse_token(token)
        if len(readings) == 1:
            fits = _find_fitting_actions(kerak, readings[0])
        else:
            fits = sorted(
                {action for reading in readings for action in _find_fitting_actions(kerak, reading)}
            )
        if len(fits) == 1:
            return fits[0]
        token = token[:LONGEST]
        refuse_token(self, kerak, token, fits)
        if not readings:
            reason: str = phrase("no form of a Kerak action")
            raise UnreadableToken(token, reason, find_nearest(self, kerak, token))
        refused = refused_capture(kerak, readings[0])
        reason = refused.reason if refused else explain_refusal(kerak, readings[0])
        known = describe_combat(refused) if refused else None
        raise IllegalMove(token, reason, find_nearest(self, kerak, token), known)

    def read_tokens(self, tokens: Sequence[str]) -> list[int]:
        """See `notation.dialect.Dialect.read_tokens`."""
        return list(map(read_token, tokens))

    def play_readings(
        self,
        position: Position,
        readings: list[int],
        start: int,
        end: int,
        found: FoundActions,
    ) -> None:
        """See `notation.dialect.Dialect.play_readings`."""
        lists = found.actions, found.descriptions, found.turns, found.identities
        play_readings(_kerak(position), readings, start, end, *lists)

    def write_sans(self, descriptions: Sequence[int]) -> list[str]:
        """See `notation.dialect.Dialect.write_sans`."""
        return list(map(_write_san, descriptions))

    def combat(self, position: Position, origin: str, target: str) -> CombatFields:
        """See `notation.dialect.Dialect.combat`; the verdicts are those of `engine.kerak`."""
        return describe_combat(
            combat(_kerak(position), _space("from", origin), _space("to", target))
        )

    def list_captures(self, position: Position) -> Sequence[CaptureFields]:
        """See `notation.dialect.Dialect.list_captures`."""
        return list(map(describe_capture, list_captures(_kerak(position))))


def _kerak(position: Position) -> Kerak:
    if not isinstance(position, Kerak):
        raise TypeError(f"not a position of Kerak: {position!r}")
    return position


@lru_cache(maxsize=1 << 13)
def _coordinate(action: Action) -> str:
    if action == PASS:
        return "--"
    target = _NAMES[target_of(action)]
    if is_move(action):
        return _NAMES[origin_of(action)] + target
    return f"{LETTERS[placed(action) - 1]}@{target}"


@lru_cache(maxsize=1 << 15)
def _write_san(description: int) -> str:
    """SAN of an action with this description (`engine.naming`)."""
    action, about = Action(description & ACTION), description >> TOLD
    if not is_move(action):
        return _coordinate(action)
    letter = LETTERS[(about & KIND) - 1]
    text = letter + write_origin(_NAMES[origin_of(action)], about)
    end = "#" if about & END else ""
    return f"{text}{'x' if about & CAPTURE else ''}{_NAMES[target_of(action)]}{end}"


def _space(role: str, name: str) -> int:
    if name not in SPACE_OF:
        raise BadSquare(role, phrase("{name} is not a space of the board", name=quote_text(name)))
    return SPACE_OF[name]


def _find_fitting_actions(kerak: Kerak, syntax: Syntax) -> list[Action]:
    """The legal actions that a token may mean."""
    if isinstance(syntax, MoveSyntax) and syntax.kind is not None:
        moves = kerak.legal_to(syntax.kind, syntax.target)
        if not syntax.origin:
            return moves
        return [action for action in moves if syntax.origin in _NAMES[origin_of(action)]]
    action = read_action(syntax)
    return [action] if kerak.is_legal(action) else []
