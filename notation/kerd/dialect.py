"""Kerd's actions in coordinates and SAN; `token.py` lists the leniencies of `resolve`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from engine.kerd.action import Deed, deed, origin, pawn, promotion, target
from engine.kerd.board import PAWN
from engine.kerd.kernel import Position as Kerd
from engine.kerd.knowledge import claimable_outcome, may_be_unwinnable
from engine.kerd.naming import find_action, play_described, play_readings
from engine.kerd.rules import Rules
from engine.naming import (
    ACTION,
    CAPTURE,
    CHECK,
    END,
    KIND,
    TOLD,
)
from engine.outcome import Outcome, Termination
from engine.phrase import phrase
from engine.position import Action, Position
from engine.variant import Variant
from notation.dialect import Dialect, FoundActions
from notation.errors import IllegalMove, UnreadableToken
from notation.fen import tagged_fen
from notation.kerd.choice import check_commitments, check_form, first_choices
from notation.kerd.fen import read_fen, write_cells, write_fen
from notation.kerd.fitting import explain_refusal, find_fitting_actions
from notation.kerd.names import LETTERS, NAMES
from notation.kerd.sealing import Infiltrators
from notation.kerd.token import (
    LONGEST,
    parse_token,
    read_token,
)
from notation.nearest import find_nearest
from notation.refusal import refuse_token
from notation.sealing import Sealing
from notation.squares import write_origin

INFILTRATORS: Final = Infiltrators()


class KerdDialect(Dialect):
    """See `notation.dialect.Dialect`; there is one object for each variant, with its rules."""

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
        """Whether a record may claim this end although possible reveals are left.

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

    def san(self, position: Position, action: Action, claim: Outcome | None = None) -> str:
        """The canonical short form of a legal action, with what it does to the enemy King."""
        return self.advance(position.copy(), action, claim)

    def advance(self, position: Position, action: Action, claim: Outcome | None = None) -> str:
        """See `notation.dialect.Dialect.advance`."""
        kerd = _kerd(position)
        description = play_described(kerd, action)
        if claim is not None and self._claims_mate(kerd, claim, description):
            description |= END << TOLD
        return _write_san(description)

    def _claims_mate(self, after: Kerd, claim: Outcome, description: int) -> bool:
        """Whether an action with this description has mated, by the claim of the record."""
        is_mate = claim.termination is Termination.MATE
        return is_mate and description >> TOLD & CHECK != 0 and self.accepts(after, claim)

    def resolve(self, position: Position, token: str) -> Action:
        """The legal action that a token means; see `notation.dialect.Dialect.resolve`."""
        kerd = _kerd(position)
        found = find_action(kerd, read_token(token))
        if found > 0:
            return Action(found)
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
        play_readings(_kerd(position), readings, start, end, *lists)

    def write_sans(self, descriptions: Sequence[int]) -> list[str]:
        """See `notation.dialect.Dialect.write_sans`."""
        return list(map(_write_san, descriptions))


def _kerd(position: Position) -> Kerd:
    if not isinstance(position, Kerd):
        raise TypeError(f"not a position of Kerd: {position!r}")
    return position


def _deed_text(action: Action) -> str:
    return f"{'R' if deed(action) is Deed.REVEAL else 'X'}:{NAMES[target(action)]}"


def _promotion_suffix(action: Action) -> str:
    kind = promotion(action)
    return f"={LETTERS[kind]}" if kind else ""


@lru_cache(maxsize=1 << 15)
def _write_san(description: int) -> str:
    """SAN of an action with this description (`engine.naming`)."""
    action, about = Action(description & ACTION), description >> TOLD
    suffix = "#" if about & END else "+" if about & CHECK else ""
    return _write_bare_san(action, about) + suffix


def _write_bare_san(action: Action, description: int) -> str:
    """SAN without its suffix."""
    if deed(action) in (Deed.REVEAL, Deed.EXECUTE):
        return _deed_text(action)
    start, end = NAMES[origin(action)], NAMES[target(action)]
    if deed(action) is Deed.CASTLE:
        return "O-O" if start < end else "O-O-O"
    beside = pawn(action)
    if beside is not None:
        pawn_end = NAMES[beside + target(action) - origin(action)]
        return f"C{end}&{pawn_end}{_promotion_suffix(action)}"
    kind, taking = description & KIND, "x" if description & CAPTURE else ""
    if kind == PAWN:
        file = start[0] if taking else ""
        return f"{file}{taking}{end}{_promotion_suffix(action)}"
    return f"{LETTERS[kind]}{write_origin(start, description)}{taking}{end}"
