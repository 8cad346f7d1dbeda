"""What can be wrong with a text.

NotationError            base; `code` is stable and `reason` says why in a sentence's part
├── BadFen               a position string: which field, and why             bad-fen
├── BadCommitment        choice and nonce do not make the commitment         bad-commitment
├── BadChoice            what a player cannot choose in secret               bad-choice
├── BadAnnotation        a tag, comment or glyph that cannot be written      bad-annotation
├── BadSquare            a name that no square of the board has              bad-square
├── NoCombat             a game whose captures need no strength              no-combat
├── TokenError           one action's token, told without knowing the file
│   ├── UnreadableToken  no form of the game's notation fits                 illegal-move
│   ├── IllegalMove      readable, but no legal action                       illegal-move
│   ├── AmbiguousMove    fits more than one legal action                     ambiguous-move
│   └── AfterTheEnd      the rules had ended the game before it              after-the-end
└── RecordError          one game of a file: where (line, column, ply) and why   (its own code)
"""

from __future__ import annotations

from collections.abc import Sequence

from notation.combat import CombatFields


class NotationError(Exception):
    """Base of all errors of the notation."""

    code: str = "syntax"
    reason: str


class BadFen(NotationError):
    """A position string that is malformed or impossible; `field` is one of the FEN's fields."""

    code = "bad-fen"

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(field, reason)
        self.field = field
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.field}: {self.reason}"


class BadCommitment(NotationError):
    """A commitment tag (`tag`) that its side's choice and nonce do not make."""

    code = "bad-commitment"

    def __init__(self, tag: str, reason: str) -> None:
        super().__init__(tag, reason)
        self.tag = tag
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.tag}: {self.reason}"


class BadChoice(NotationError):
    """A secret choice (`choice`) that the side does not have."""

    code = "bad-choice"

    def __init__(self, choice: str, reason: str) -> None:
        super().__init__(choice, reason)
        self.choice = choice
        self.reason = reason

    def __str__(self) -> str:
        return self.reason


class BadAnnotation(NotationError):
    """A tag pair, comment or glyph that no record can hold; `what` says which of them."""

    code = "bad-annotation"

    def __init__(self, what: str, reason: str) -> None:
        super().__init__(what, reason)
        self.what = what
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.what}: {self.reason}"


class BadSquare(NotationError):
    """A name that no square has; `role` is `from` or `to`, as which of two it was given."""

    code = "bad-square"

    def __init__(self, role: str, reason: str) -> None:
        super().__init__(role, reason)
        self.role = role
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.role}: {self.reason}"


class NoCombat(NotationError):
    """The captures of this game (`variant`) need no strength, so none can be broken down."""

    code = "no-combat"
    reason = "captures need no strength in this game"

    def __init__(self, variant: str) -> None:
        super().__init__(variant)
        self.variant = variant

    def __str__(self) -> str:
        return f"{self.variant}: {self.reason}"


class TokenError(NotationError):
    """A token that means no legal action; `nearest` are those most like it, in SAN."""

    code = "illegal-move"

    def __init__(self, token: str, reason: str, nearest: Sequence[str] = ()) -> None:
        super().__init__(token, reason)
        self.token = token
        self.reason = reason
        self.nearest = tuple(nearest)

    def __str__(self) -> str:
        hint = f"; nearest: {', '.join(self.nearest)}" if self.nearest else ""
        return f"{self.token}: {self.reason}{hint}"


class UnreadableToken(TokenError):
    """No form of the game's notation fits the token."""


class IllegalMove(TokenError):
    """The token is readable and fits no legal action.

    `combat` breaks the refused capture down, where it is one and the game has combat.
    """

    def __init__(
        self,
        token: str,
        reason: str,
        nearest: Sequence[str] = (),
        combat: CombatFields | None = None,
    ) -> None:
        super().__init__(token, reason, nearest)
        self.combat = combat


class AmbiguousMove(TokenError):
    """The token fits more than one legal action; `nearest` lists them."""

    code = "ambiguous-move"


class AfterTheEnd(TokenError):
    """The rules of the game had ended it before this token."""

    code = "after-the-end"


class RecordError(NotationError):
    """The reason why one game of a file was refused.

    `line` and `column` count from 1 and are those of the offending token, `ply` is the number
    of the action in the game from 1; each is None where it does not apply. `nearest` are the
    legal actions most like the token, in SAN.
    """

    def __init__(
        self,
        code: str,
        reason: str,
        *,
        line: int | None = None,
        column: int | None = None,
        ply: int | None = None,
        token: str | None = None,
        nearest: Sequence[str] = (),
    ) -> None:
        super().__init__(code, reason)
        self.code = code
        self.reason = reason
        self.line = line
        self.column = column
        self.ply = ply
        self.token = token
        self.nearest = tuple(nearest)

    def __str__(self) -> str:
        where = [
            f"{name} {value}"
            for name, value in (("line", self.line), ("column", self.column), ("ply", self.ply))
            if value is not None
        ]
        hint = f"; nearest: {', '.join(self.nearest)}" if self.nearest else ""
        return f"{', '.join(where) + ': ' if where else ''}{self.reason}{hint}"
