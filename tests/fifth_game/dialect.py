"""How Quadrille is written: `placement side move` as FEN, `b2c3` and `Pxc3` as actions.

`resolve` is lenient: it takes either form, with `x`, `+`, `#` missing or superfluous, and with more
of the origin than needed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from engine.errors import InvalidPosition
from engine.outcome import Outcome
from engine.position import Action, Position
from engine.variant import Variant
from notation.dialect import Dialect
from notation.errors import BadFen, IllegalMove, UnreadableToken
from notation.fen import read_choice, read_number, read_rows, split_fields, tagged_fen, write_rows
from notation.nearest import find_nearest
from notation.refusal import refuse_token
from notation.squares import disambiguate_origin
from tests.fifth_game.board import BLACK, KIND, KING, PAWN, SQUARES, WHITE
from tests.fifth_game.kernel import Position as Quadrille
from tests.fifth_game.variant import QUADRILLE

FIELDS: Final = ("placement", "side", "move")
LONGEST: Final = 16
NAMES: Final = {at: "abcd"[at % 6 - 1] + str(at // 6) for at in SQUARES}
SQUARE_OF: Final = {name: at for at, name in NAMES.items()}
PIECES: Final = {"P": WHITE | PAWN, "K": WHITE | KING, "p": BLACK | PAWN, "k": BLACK | KING}
_LETTERS: Final = {piece: letter for letter, piece in PIECES.items()}
_ROWS: Final = [SQUARES[start : start + 4] for start in (12, 8, 4, 0)]
_TOKEN: Final = re.compile(r"([PK]?)([a-d]?[1-4]?)x?([a-d][1-4])[+#]*")


class QuadrilleDialect(Dialect):
    """See `notation.dialect.Dialect`."""

    @property
    def variant(self) -> Variant:
        """Quadrille."""
        return QUADRILLE

    def read_fen(self, text: str) -> Quadrille:
        """The position that a canonical FEN describes; raises BadFen."""
        placement, side, number = split_fields(text, FIELDS)
        cells = read_rows(placement, [4] * 4, "".join(PIECES))
        pieces = {
            at: PIECES[cell]
            for row, letters in zip(_ROWS, cells, strict=True)
            for at, cell in zip(row, letters, strict=True)
            if cell
        }
        turn, count = read_choice(side, "side", "wb"), read_number(number, "move", least=1)
        try:
            return Quadrille(pieces, turn, count)
        except InvalidPosition as why:
            raise BadFen(why.field, why.reason) from why

    def write_fen(self, position: Position) -> str:
        """The canonical FEN of a position."""
        quadrille = _quadrille(position)
        rows = ["".join(_LETTERS.get(quadrille.piece_at(at), " ") for at in row) for row in _ROWS]
        return f"{write_rows(rows)} {'wb'[quadrille.side]} {quadrille.number}"

    def start(self, tags: Mapping[str, str]) -> Quadrille:
        """The first position of a game with these tags; raises BadFen."""
        fen = tagged_fen(tags)
        return _quadrille(QUADRILLE.start()) if fen is None else self.read_fen(fen)

    def coordinate(self, action: Action) -> str:
        """The coordinate form."""
        return NAMES[action >> 6] + NAMES[action & 63]

    def san(self, position: Position, action: Action, claim: Outcome | None = None) -> str:
        """The canonical SAN of a legal action."""
        quadrille = _quadrille(position)
        origin, target = action >> 6, action & 63
        fits = _find_actions(quadrille, quadrille.piece_at(origin) & KIND, "", target)
        rivals = [NAMES[rival >> 6] for rival in fits]
        captured = quadrille.piece_at(target)
        return (
            ".PK"[quadrille.piece_at(origin) & KIND]
            + disambiguate_origin(NAMES[origin], rivals)
            + "x" * bool(captured)
            + NAMES[target]
            + "#" * (captured & KIND == KING)
        )

    def resolve(self, position: Position, token: str) -> Action:
        """The legal action that a token means; see `notation.dialect.Dialect.resolve`."""
        quadrille = _quadrille(position)
        match = _TOKEN.fullmatch(token) if len(token) <= LONGEST else None
        if match is not None and not match[1] and len(match[2]) < 2:
            match = None
        fits: list[Action] = []
        if match is not None:
            kind = ".PK".index(match[1]) if match[1] else 0
            fits = _find_actions(quadrille, kind, match[2], SQUARE_OF[match[3]])
        if len(fits) == 1:
            return fits[0]
        token = token[:LONGEST]
        refuse_token(self, quadrille, token, fits)
        if match is None:
            reason = "no form of a Quadrille action"
            raise UnreadableToken(token, reason, find_nearest(self, quadrille, token))
        reason = f"no such piece can go to {match[3]}"
        raise IllegalMove(token, reason, find_nearest(self, quadrille, token))


def _quadrille(position: Position) -> Quadrille:
    if not isinstance(position, Quadrille):
        raise TypeError(f"not a position of Quadrille: {position!r}")
    return position


def _find_actions(quadrille: Quadrille, kind: int, origin: str, target: int) -> list[Action]:
    """The legal actions to a square by a kind of piece (0: any) whose origin contains `origin`."""
    return [
        action
        for action in quadrille.legal()
        if action & 63 == target
        and origin in NAMES[action >> 6]
        and kind in (0, quadrille.piece_at(action >> 6) & KIND)
    ]


QUADRILLE_DIALECT: Final = QuadrilleDialect()
