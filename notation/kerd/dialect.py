"""Kerd's actions in coordinates and SAN; what `resolve` forgives is listed in `token.py`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from engine.kerd.action import Deed, deed, origin, pawn, promotion, target
from engine.kerd.board import EMPTY, KIND, PAWN
from engine.kerd.kernel import Position as Kerd
from engine.kerd.knowledge import claimable_outcome, may_be_unwinnable
from engine.kerd.rules import Rules
from engine.outcome import Outcome, Termination
from engine.phrase import phrase
from engine.position import Action, Position
from engine.variant import Variant
from notation.dialect import Dialect
from notation.errors import IllegalMove, UnreadableToken
from notation.fen import tagged_fen
from notation.kerd.choice import check_commitments, check_form, first_choices
from notation.kerd.fen import read_fen, write_cells, write_fen
from notation.kerd.fitting import explain_refusal, find_fitting_actions
from notation.kerd.names import LETTERS, NAMES
from notation.kerd.sealing import Infiltrators
from notation.kerd.token import LONGEST, parse_token
from notation.nearest import find_nearest
from notation.refusal import refuse_token
from notation.sealing import Sealing
from notation.squares import disambiguate_origin

INFILTRATORS: Final = Infiltrators()
SUFFIXES: Final = "+#"


class KerdDialect(Dialect):
    """See `notation.dialect.Dialect`; one object a variant, with its rules."""

    def __init__(self, variant: Variant, rules: Rules) -> None:
        self._variant = variant
        self._rules = rules

    @property
    def variant(self) -> Variant:
        """Kerd or Kerd Draft."""
        return self._variant

    # Positions.

    def read_fen(self, text: str) -> Kerd:
        """The position a canonical FEN describes; raises BadFen."""
        return read_fen(self._rules, text)

    def write_fen(self, position: Position) -> str:
        """The canonical FEN of a position."""
        return write_fen(_kerd(position))

    def position_key(self, fen: str) -> str:
        """The FEN without the infiltrators and the move number."""
        *board, _, checked, pool, _ = fen.split(" ")
        return " ".join([*board, checked, pool])

    def identify(self, position: Position) -> bytes:
        """See `notation.dialect.Dialect.identify`."""
        return _kerd(position).pack()

    def cells(self, identity: bytes) -> bytes:
        """See `notation.dialect.Dialect.cells`."""
        return write_cells(identity)

    def start(self, tags: Mapping[str, str]) -> Kerd:
        """The first position of a game with these tags; raises BadFen."""
        fen = tagged_fen(tags)
        if fen is not None:
            check_form(tags)
            return self.read_fen(fen)
        position = _kerd(self._variant.start())
        for side, choice in enumerate(first_choices(tags)):
            position.choose(side, choice)
        return position

    def accepts(self, position: Position, claim: Outcome) -> bool:
        """Whether a record may claim this end though possible reveals are left.

        It may claim mate or stalemate (Ruling R32), and a draw of a game lost on time (Ruling R36).
        """
        kerd = _kerd(position)
        if claim == Outcome(None, Termination.TIME_FORFEIT):
            return may_be_unwinnable(kerd)
        return claimable_outcome(kerd) == claim

    def check(self, tags: Mapping[str, str]) -> None:
        """Check the commitments against the choices; raises BadCommitment."""
        check_commitments(tags)

    @property
    def sealing(self) -> Sealing:
        """The infiltrators."""
        return INFILTRATORS

    # Actions.

    def coordinate(self, action: Action) -> str:
        """The coordinate form, exact in any position."""
        if deed(action) in (Deed.REVEAL, Deed.EXECUTE):
            return _deed_text(action)
        text = NAMES[origin(action)] + NAMES[target(action)]
        beside = pawn(action)
        if beside is not None:
            end = beside + target(action) - origin(action)
            text += f"&{NAMES[beside]}{NAMES[end]}"
        return text + _promotion_suffix(action)

    def san(
        self, position: Position, action: Action, claim: Outcome | None = None, said: str = ""
    ) -> str:
        """The canonical short form of a legal action, with what it does to the enemy King."""
        return self.advance(position.copy(), action, claim, said)

    def advance(
        self, position: Position, action: Action, claim: Outcome | None = None, said: str = ""
    ) -> str:
        """See `notation.dialect.Dialect.advance`."""
        kerd = _kerd(position)
        bare = _bare_san(kerd, action, said)
        kerd.play(action)
        return bare + self._suffix(kerd, claim)

    def _suffix(self, after: Kerd, claim: Outcome | None) -> str:
        if self._rules.king_is_captured:
            ended = after.outcome()
            if ended is not None and ended.termination is Termination.KING_CAPTURED:
                return "#"
        if not after.is_attacked(after.side):
            return ""
        mated = after.outcome() is not None and not self._rules.king_is_captured
        if claim is not None and claim.termination is Termination.MATE:
            mated = mated or self.accepts(after, claim)
        return "#" if mated else "+"

    def resolve(self, position: Position, token: str) -> Action:
        """The legal action that a token means; see `notation.dialect.Dialect.resolve`."""
        kerd = _kerd(position)
        said = parse_token(token)
        if len(said) == 1:
            fits = find_fitting_actions(kerd, said[0])
        else:
            fits = list(
                dict.fromkeys(
                    action for syntax in said for action in find_fitting_actions(kerd, syntax)
                )
            )
        if len(fits) == 1:
            return fits[0]
        token = token[:LONGEST]
        refuse_token(self, kerd, token, fits)
        if not said:
            reason = phrase("no form of a {variant} action", variant=self._variant.name)
            raise UnreadableToken(token, reason, find_nearest(self, kerd, token))
        raise IllegalMove(token, explain_refusal(kerd, said[0]), find_nearest(self, kerd, token))


def _kerd(position: Position) -> Kerd:
    if not isinstance(position, Kerd):
        raise TypeError(f"not a position of Kerd: {position!r}")
    return position


def _deed_text(action: Action) -> str:
    return f"{'R' if deed(action) is Deed.REVEAL else 'X'}:{NAMES[target(action)]}"


def _promotion_suffix(action: Action) -> str:
    kind = promotion(action)
    return f"={LETTERS[kind]}" if kind else ""


def _bare_san(kerd: Kerd, action: Action, said: str) -> str:
    """SAN without its suffix."""
    at, to = origin(action), target(action)
    kind = kerd.piece_at(at) & KIND
    letter, rest = _san_parts(action, kind, kerd.piece_at(to) != EMPTY)
    if letter and said.rstrip(SUFFIXES) != letter + rest:
        fits = kerd.legal_to(kind, to)
        if len(fits) > 1:
            letter += disambiguate_origin(NAMES[at], [NAMES[origin(rival)] for rival in fits])
    return letter + rest


@lru_cache(maxsize=1 << 15)
def _san_parts(action: Action, kind: int, taking: bool) -> tuple[str, str]:
    """SAN before and behind the origin; all of it behind where no origin is ever written."""
    if deed(action) in (Deed.REVEAL, Deed.EXECUTE):
        return "", _deed_text(action)
    start, end = NAMES[origin(action)], NAMES[target(action)]
    if deed(action) is Deed.CASTLE:
        return "", "O-O" if start < end else "O-O-O"
    beside = pawn(action)
    if beside is not None:
        pawn_end = NAMES[beside + target(action) - origin(action)]
        return "", f"C{end}&{pawn_end}{_promotion_suffix(action)}"
    if kind == PAWN:
        return (
            "",
            f"{start[0]}x{end}{_promotion_suffix(action)}"
            if taking
            else end + _promotion_suffix(action),
        )
    return LETTERS[kind], f"x{end}" if taking else end
