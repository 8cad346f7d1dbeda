"""What can be wrong with a text.

NotationError            base, with a stable `code`; most have a `reason`, part of a sentence
├── BadFen               a position string: which field, and why             bad-fen
├── BadCommitment        choice and nonce do not make the commitment         bad-commitment
├── BadChoice            what a player cannot choose in secret               bad-choice
├── BadAnnotation        a tag, comment or glyph that cannot be written      bad-annotation
├── BadTimeControl       a time control that cannot be read                  bad-time-control
├── UnplayableTimeControl   one that no clock can keep                       unplayable-time-control
├── BadSquare            a name that no square of the board has              bad-square
├── NoCombat             a game whose captures need no strength              no-combat
├── TokenError           one action's token, independent of the file
│   ├── UnreadableToken  no form of the game's notation fits                 illegal-move
│   ├── IllegalMove      readable, but no legal action                       illegal-move
│   ├── AmbiguousMove    fits more than one legal action                     ambiguous-move
│   └── AfterTheEnd      the rules had ended the game before it              after-the-end
└── RecordError          one game of a file: where (line, column, ply) and why   (its own code)
"""

from __future__ import annotations

from dataclasses import KW_ONLY, field

from engine.described_error import DescribedError
from engine.phrase import Say, phrase, translate
from notation.combat import CombatFields


class NotationError(DescribedError):
    """Base of all errors of the notation."""

    code = "syntax"


class BadFen(NotationError):
    """A position string that is malformed or impossible; `field` is one of the FEN's fields."""

    code = "bad-fen"
    message = "{field}: {reason}"
    field: str
    reason: str


class BadCommitment(NotationError):
    """A commitment tag (`tag`) that its side's choice and nonce do not make."""

    code = "bad-commitment"
    message = "{tag}: {reason}"
    tag: str
    reason: str


class BadChoice(NotationError):
    """A secret choice (`choice`) that the side does not have."""

    code = "bad-choice"
    message = "{reason}"
    choice: str
    reason: str


class BadAnnotation(NotationError):
    """A tag pair, comment or glyph that no record can hold; `what` says which of them."""

    code = "bad-annotation"
    message = "{what}: {reason}"
    what: str
    reason: str


class BadTimeControl(NotationError):
    """A time control, or a stage of one (`text`), that is written in no known form."""

    code = "bad-time-control"
    message = "{text!r} {reason}"
    text: str
    reason: str


class UnplayableTimeControl(NotationError):
    """A time control (`text`) that can be read, but that no game can be played with."""

    code = "unplayable-time-control"
    message = "{text}: {reason}"
    text: str
    reason: str


class BadSquare(NotationError):
    """A name that no square has; `role` says which of two it was given as, `from` or `to`."""

    code = "bad-square"
    message = "{role}: {reason}"
    role: str
    reason: str


class NoCombat(NotationError):
    """The captures of this game (`variant`) need no strength, so none can be broken down."""

    code = "no-combat"
    message = "{variant}: captures need no strength in this game"
    variant: str


class TokenError(NotationError):
    """A token that means no legal action; `nearest` are those most like it, in SAN."""

    code = "illegal-move"
    token: str
    reason: str
    nearest: tuple[str, ...] = ()

    def describe(self, say: Say) -> str:
        reason = say(self.reason) if type(self.reason) is str else translate(self.reason, say)
        return f"{self.token}: {reason}{_hint(self.nearest, say)}"


class UnreadableToken(TokenError):
    """No form of the game's notation fits the token."""


class IllegalMove(TokenError):
    """The token is readable and fits no legal action.

    `combat` breaks the refused capture down, where it is one and the game has combat.
    """

    combat: CombatFields | None = None


class AmbiguousMove(TokenError):
    """The token fits more than one legal action; `nearest` lists them."""

    code = "ambiguous-move"


class AfterTheEnd(TokenError):
    """The rules of the game had ended it before this token."""

    code = "after-the-end"


class RecordError(NotationError):
    """The reason why one game of a file was refused, under a `code` of its own.

    `line` and `column` count from 1 and are those of the offending token, `ply` is the number
    of the action in the game from 1; each is None where it does not apply. `nearest` are the
    legal actions most like the token, in SAN.
    """

    code: str = field()
    reason: str
    _: KW_ONLY
    line: int | None = None
    column: int | None = None
    ply: int | None = None
    token: str | None = None
    nearest: tuple[str, ...] = ()

    def describe(self, say: Say) -> str:
        where = [
            f"{name} {value}"
            for name, value in (("line", self.line), ("column", self.column), ("ply", self.ply))
            if value is not None
        ]
        place = f"{', '.join(where)}: " if where else ""
        return f"{place}{translate(self.reason, say)}{_hint(self.nearest, say)}"


def _hint(nearest: tuple[str, ...], say: Say) -> str:
    hint = phrase("; nearest: {actions}", actions=", ".join(nearest))
    return str(translate(hint, say)) if nearest else ""
