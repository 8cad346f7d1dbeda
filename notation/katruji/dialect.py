"""Katruji's actions in coordinates and SAN; `token.py` lists the leniencies of `resolve`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from engine.katruji import KATRUJI
from engine.katruji.board import KYAN, is_move, squares
from engine.katruji.kernel import Position as Katruji
from engine.katruji.naming import describe, find_action, play_readings
from engine.naming import ACTION, CAPTURE, KIND, MADE, TOLD
from engine.outcome import Outcome
from engine.phrase import phrase
from engine.position import Action, Position
from engine.variant import Variant
from notation.dialect import Dialect, FoundActions
from notation.errors import IllegalMove, UnreadableToken
from notation.fen import tagged_fen
from notation.katruji.fen import read_fen, write_cells, write_fen
from notation.katruji.token import (
    LONGEST,
    NAMES,
    PIECES,
    SPOKEN,
    SQUARE_OF,
    WORDS,
    MoveSyntax,
    Syntax,
    Word,
    parse_token,
    read_token,
)
from notation.nearest import find_nearest
from notation.refusal import refuse_token
from notation.squares import write_origin

_ORIGINS: Final = {
    said: frozenset(square for square, name in NAMES.items() if said in name)
    for said in (*"abcd", *"12345678", *SQUARE_OF)
}
_WORD_OF: Final = {action: word for word, action in WORDS.items()}


class KatrujiDialect(Dialect):
    """See `notation.dialect.Dialect`."""

    titles = ("Zilatran Chess",)

    @property
    def variant(self) -> Variant:
        """Katruji."""
        return KATRUJI

    # Positions.

    def read_fen(self, text: str) -> Katruji:
        """The position a canonical FEN describes; raises BadFen."""
        return read_fen(text)

    def write_fen(self, position: Position) -> str:
        """The canonical FEN of a position."""
        return write_fen(_katruji(position))

    def position_key(self, fen: str) -> str:
        """The FEN without the clock and the move number."""
        return fen.rsplit(" ", 2)[0]

    def identify(self, position: Position) -> bytes:
        """See `notation.dialect.Dialect.identify`."""
        return _katruji(position).pack()

    def cells(self, identity: bytes) -> bytes:
        """See `notation.dialect.Dialect.cells`."""
        return write_cells(identity)

    def start(self, tags: Mapping[str, str]) -> Katruji:
        """The first position of a game with these tags; raises BadFen."""
        fen = tagged_fen(tags)
        return Katruji() if fen is None else self.read_fen(fen)

    # Actions.

    def coordinate(self, action: Action) -> str:
        """The coordinate form, or the word of a declaration or claim."""
        if not is_move(action):
            return _WORD_OF[action]
        origin, target = squares(action)
        return NAMES[origin] + NAMES[target]

    def san(self, position: Position, action: Action, claim: Outcome | None = None) -> str:
        """The canonical short form of a legal action; Katruji has no use for `claim`."""
        return _write_san(describe(_katruji(position), action))

    def resolve(self, position: Position, token: str) -> Action:
        """The legal action that a token means; see `notation.dialect.Dialect.resolve`."""
        katruji = _katruji(position)
        found = find_action(katruji, read_token(token))
        if found > 0:
            return Action(found)
        syntax = parse_token(token)
        fits = _find_fitting_actions(katruji, syntax)
        if len(fits) == 1:
            return fits[0]
        token = token[:LONGEST]
        refuse_token(self, katruji, token, fits)
        if syntax is None:
            reason: str = phrase("no form of a Katruji action")
            raise UnreadableToken(token, reason, find_nearest(self, katruji, token))
        reason = _explain_refusal(katruji, syntax)
        raise IllegalMove(token, reason, find_nearest(self, katruji, token))

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
        play_readings(_katruji(position), readings, start, end, *lists)

    def write_sans(self, descriptions: Sequence[int]) -> list[str]:
        """See `notation.dialect.Dialect.write_sans`."""
        return list(map(_write_san, descriptions))


def _katruji(position: Position) -> Katruji:
    if not isinstance(position, Katruji):
        raise TypeError(f"not a position of Katruji: {position!r}")
    return position


@lru_cache(maxsize=1 << 15)
def _write_san(description: int) -> str:
    """SAN of an action with this description (`engine.naming`)."""
    action, about = Action(description & ACTION), description >> TOLD
    if not is_move(action):
        return _WORD_OF[action]
    origin, target = squares(action)
    text = PIECES[about & KIND] + write_origin(NAMES[origin], about)
    if about & CAPTURE:
        return f"{text}x{NAMES[target]}"
    made = PIECES[about >> MADE & KIND]
    return f"{text}{NAMES[target]}={made}" if made else text + NAMES[target]


def _find_fitting_actions(katruji: Katruji, syntax: Syntax | None) -> list[Action]:
    """The legal actions that a token may mean."""
    if isinstance(syntax, MoveSyntax):
        piece = syntax.piece or katruji.piece_at(SQUARE_OF[syntax.origin])
        fits = katruji.legal_to(piece, syntax.target) if piece else []
        if syntax.origin:
            origins = _ORIGINS[syntax.origin]
            fits = [action for action in fits if squares(action)[0] in origins]
        if promotion := syntax.promotion:
            fits = [action for action in fits if katruji.promotion(action) == promotion]
        return fits
    if syntax is not None and katruji.is_legal(syntax.action):
        return [syntax.action]
    return []


def _explain_refusal(katruji: Katruji, syntax: Syntax) -> str:
    """Why no legal action fits."""
    if isinstance(syntax, Word):
        if syntax.action == KYAN:
            return phrase("cannot be declared here")
        return phrase("cannot be claimed here")
    back, stands = squares(Action(katruji.crossing))
    if katruji.crossing and syntax.target == back and syntax.origin in NAMES[stands]:
        return phrase("may not undo the move that has just been made")
    made = syntax.promotion and phrase(SPOKEN[syntax.promotion])
    return phrase(
        "no {piece}{start} of the side to move can go to {target}{making}",
        piece=phrase(SPOKEN[syntax.piece]),
        start=phrase(" on {origin}", origin=syntax.origin) if syntax.origin else "",
        target=NAMES[syntax.target],
        making=phrase(" and become {piece}", piece=made) if made else "",
    )
