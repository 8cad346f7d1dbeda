"""How Katruji is written (rules page `notation.md`).

Leniencies of `resolve`: either form; `x`, `+`, `#` missing or superfluous; `=S`/`=O` missing
(never another piece than the promotion makes); more of the origin than needed; squares with
capital letters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from engine.errors import InvalidPosition
from engine.katruji import KATRUJI
from engine.katruji.board import (
    ALKA,
    AS_WRITTEN,
    KYAN,
    NOBODY,
    SQUARES,
    is_move,
    move,
    squares,
)
from engine.katruji.kernel import Position as Katruji
from engine.katruji.setup import set_up
from engine.outcome import Outcome
from engine.phrase import phrase
from engine.position import Action, Position
from engine.variant import Variant
from notation.dialect import Dialect
from notation.errors import BadFen, IllegalMove, UnreadableToken
from notation.fen import (
    quote_text,
    read_choice,
    read_number,
    read_points,
    read_rows,
    split_fields,
    tagged_fen,
    write_rows,
)
from notation.nearest import find_nearest
from notation.refusal import refuse_token
from notation.squares import disambiguate_origin

FIELDS: Final = ("placement", "side", "points", "undo", "clock", "move")
PIECES: Final = ("", "P", "S", "O")
SPOKEN: Final = ("piece", "Hutu (Private)", "Ali (Sergeant)", "Isza (Officer)")
"""The pieces as sentences name them: Katruji's own names with the English ones (Ruling R38)."""
WORDS: Final = {"Kyan": KYAN, "Alka": ALKA}

_NAMES: Final = {square: "abcd"[square % 8] + str(square // 8 + 1) for square in SQUARES}
_SQUARES: Final = {name: square for square, name in _NAMES.items()}
_ORIGINS: Final = {
    said: frozenset(square for square, name in _NAMES.items() if said in name)
    for said in (*"abcd", *"12345678", *_SQUARES)
}
_ROWS: Final = [AS_WRITTEN[start : start + 4] for start in range(0, len(AS_WRITTEN), 4)]
_CELLS: Final = b" PSO".ljust(256)
"""What a row has for each piece."""
_SIDES: Final = "sn"
_WORD_OF: Final = {action: word for word, action in WORDS.items()}
_STEP: Final = re.compile(r"([PSO]?)([a-d]?)([1-8]?)x?([a-d][1-8])(?:=([SO]))?[+#]*")
_WORD: Final = re.compile(r"(Kyan|Alka)[+#]*")
_UNDO: Final = re.compile(r"([a-d][1-8])([a-d][1-8])")
_SMALL: Final = str.maketrans("ABCD", "abcd")
_LONGEST: Final = 32


@dataclass(frozen=True, slots=True)
class MoveSyntax:
    """A move as written: `origin` is empty, `piece` and `promotion` are 0 where it does not say."""

    piece: int
    origin: str
    target: int
    promotion: int


@dataclass(frozen=True, slots=True)
class Word:
    """A declaration or a claim."""

    action: Action


Syntax: TypeAlias = MoveSyntax | Word


@lru_cache(maxsize=4096)
def parse_token(token: str) -> Syntax | None:
    """What a token says, read without a position; None if no form fits.

    >>> parse_token("Sc3=O")
    MoveSyntax(piece=2, origin='', target=18, promotion=3)
    """
    if len(token) > _LONGEST:
        return None
    if word := _WORD.fullmatch(token):
        return Word(WORDS[word.group(1)])
    return _step(token) or _step(token.translate(_SMALL))


def _step(token: str) -> MoveSyntax | None:
    step = _STEP.fullmatch(token)
    if step is None:
        return None
    piece, file, rank, target, promotion = step.groups("")
    if not piece and not (file and rank):
        return None
    return MoveSyntax(PIECES.index(piece), file + rank, _SQUARES[target], PIECES.index(promotion))


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
        placement, side, points, undo, clock, number = split_fields(text, FIELDS)
        pieces = _read_pieces(placement)
        turn = read_choice(side, "side", _SIDES)
        score = read_points(points)
        crossing = _read_undo(undo)
        timer, declarer, claimed = _read_clock(clock)
        try:
            return set_up(
                pieces,
                side=turn,
                points=score,
                undo=crossing,
                clock=timer,
                declarer=declarer,
                claimed=claimed,
                number=read_number(number, "move", least=1),
            )
        except InvalidPosition as why:
            raise BadFen(why.field, why.reason) from why

    def write_fen(self, position: Position) -> str:
        """The canonical FEN of a position."""
        katruji = _katruji(position)
        cells = self.cells(katruji.pack()).decode()
        rows = [cells[start : start + 4] for start in range(0, 32, 4)]
        south, north = katruji.points()
        undo = self.coordinate(Action(katruji.crossing)) if katruji.crossing else "-"
        clock = str(katruji.clock)
        if katruji.declarer != NOBODY:
            clock = _SIDES[katruji.declarer] + clock + "!" * katruji.claimed
        side = _SIDES[katruji.side]
        return f"{write_rows(rows)} {side} {south}-{north} {undo} {clock} {katruji.number}"

    def position_key(self, fen: str) -> str:
        """The FEN without the clock and the move number."""
        return fen.rsplit(" ", 2)[0]

    def identify(self, position: Position) -> bytes:
        """See `notation.dialect.Dialect.identify`."""
        return _katruji(position).pack()

    def cells(self, identity: bytes) -> bytes:
        """See `notation.dialect.Dialect.cells`."""
        return identity[: len(AS_WRITTEN)].translate(_CELLS)

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
        return _NAMES[origin] + _NAMES[target]

    def san(
        self, position: Position, action: Action, claim: Outcome | None = None, said: str = ""
    ) -> str:
        """The canonical short form of a legal action; Katruji has no use for `claim`."""
        if not is_move(action):
            return _WORD_OF[action]
        katruji = _katruji(position)
        origin, target = squares(action)
        piece = katruji.piece_at(origin)
        text = PIECES[piece]
        fits = katruji.legal_to(piece, target)
        if len(fits) > 1:
            rivals = [_NAMES[squares(rival)[0]] for rival in fits]
            text += disambiguate_origin(_NAMES[origin], rivals)
        if katruji.is_capture(action):
            return f"{text}x{_NAMES[target]}"
        made = katruji.promotion(action)
        return f"{text}{_NAMES[target]}={PIECES[made]}" if made else text + _NAMES[target]

    def resolve(self, position: Position, token: str) -> Action:
        """The legal action that a token means; see `notation.dialect.Dialect.resolve`."""
        katruji = _katruji(position)
        syntax = parse_token(token)
        fits = _find_fitting_actions(katruji, syntax)
        if len(fits) == 1:
            return fits[0]
        token = token[:_LONGEST]
        refuse_token(self, katruji, token, fits)
        if syntax is None:
            reason: str = phrase("no form of a Katruji action")
            raise UnreadableToken(token, reason, find_nearest(self, katruji, token))
        reason = _explain_refusal(katruji, syntax)
        raise IllegalMove(token, reason, find_nearest(self, katruji, token))


def _katruji(position: Position) -> Katruji:
    if not isinstance(position, Katruji):
        raise TypeError(f"not a position of Katruji: {position!r}")
    return position


def _find_fitting_actions(katruji: Katruji, syntax: Syntax | None) -> list[Action]:
    """The legal actions that a token may mean."""
    if isinstance(syntax, MoveSyntax):
        piece = syntax.piece or katruji.piece_at(_SQUARES[syntax.origin])
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
    if katruji.crossing and syntax.target == back and syntax.origin in _NAMES[stands]:
        return phrase("may not undo the move that has just been made")
    made = syntax.promotion and phrase(SPOKEN[syntax.promotion])
    return phrase(
        "no {piece}{start} of the side to move can go to {target}{making}",
        piece=phrase(SPOKEN[syntax.piece]),
        start=phrase(" on {origin}", origin=syntax.origin) if syntax.origin else "",
        target=_NAMES[syntax.target],
        making=phrase(" and become {piece}", piece=made) if made else "",
    )


def _read_pieces(placement: str) -> dict[int, int]:
    """The pieces by square."""
    rows = read_rows(placement, [4] * 8, "PSO")
    return {
        square: PIECES.index(cell)
        for squares_of_row, cells in zip(_ROWS, rows, strict=True)
        for square, cell in zip(squares_of_row, cells, strict=True)
        if cell
    }


def _read_clock(text: str) -> tuple[int, int | None, bool]:
    """The count, the declarer and whether Alka has been claimed."""
    if text[0] not in _SIDES:
        return read_number(text, "clock"), None, False
    claimed = text.endswith("!")
    count = read_number(text[1:].removesuffix("!"), "clock")
    return count, _SIDES.index(text[0]), claimed


def _read_undo(text: str) -> Action | None:
    if text == "-":
        return None
    match = _UNDO.fullmatch(text)
    if match is None:
        raise BadFen(
            "undo",
            phrase("{text} is neither '-' nor a move in coordinate form", text=quote_text(text)),
        )
    origin, target = match.groups()
    return move(_SQUARES[origin], _SQUARES[target])
