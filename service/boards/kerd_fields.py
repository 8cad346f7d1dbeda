"""The fields of Kerd's position strings; see `service.boards.fields`."""

from __future__ import annotations

from typing import Final

from engine.kerd.board import BLACK, BROUGHT_BACK, KIND, KING_HOME, LAST_ELIGIBLE, TOWER_HOME
from engine.kerd.rules import Rules
from engine.kerd.setup import FIRST_MOVERS
from notation.kerd.names import KIND_OF, LETTERS, NAMES
from service.boards.fields import (
    MOVE,
    NOTHING,
    Field,
    Option,
    Part,
    make_counts,
    make_side,
)
from service.languages.texts import mark

_SIDES: Final = (mark("White"), mark("Black"))
_CASTLING: Final = (
    ("K", mark("White, with the Tower on l1")),
    ("Q", mark("White, with the Tower on a1")),
    ("k", mark("Black, with the Tower on l12")),
    ("q", mark("Black, with the Tower on a12")),
)
_STATES: Final = (
    Option("?", mark("not known")),
    Option("!", mark("revealed")),
    Option("x", mark("void")),
    Option("-", mark("played without")),
)
_CHECKED: Final = (
    Option("0", mark("No King has been in check")),
    Option("1", mark("A King has been in check")),
)


def list_fields(rules: Rules) -> list[Field]:
    """The fields after the pieces, in order."""
    return [
        make_side("wb", _SIDES),
        Field("castling", mark("May still castle"), _list_castlings(rules)),
        Field("spent", mark("Without their first move"), [_make_spent()]),
        Field("recapture", mark("A Pawn was captured by the last move"), [_make_recapture()]),
        Field("infiltrators", mark("Infiltrators"), _list_choices(), "([^/]+)/([^/]+)", "/"),
        Field("checked", mark("Checks"), [Part("choice", mark("So far"), _CHECKED)]),
        _make_pool(rules),
        MOVE,
    ]


def _list_castlings(rules: Rules) -> list[Part]:
    """Castling needs King and Tower on their initial squares."""
    options = [
        Option(letter, label, {NAMES[KING_HOME[n]]: _own(n // 2, "K")} | _tower(n))
        for n, (letter, label) in enumerate(_CASTLING)
    ]
    label = mark("Neither King nor Tower has moved")
    return [Part("several", label, options, none=NOTHING)] if rules.castling else []


def _tower(castling: int) -> dict[str, str]:
    return {NAMES[TOWER_HOME[castling]]: _own(castling // 2, "T")}


def _own(side: int, letter: str) -> str:
    """A piece's letter as the position string writes it."""
    return letter.lower() if side else letter


def _make_spent() -> Part:
    """Pawns and Commanders on their own initial squares, by file and rank."""
    at_home = sorted(FIRST_MOVERS, key=lambda at: (at & 15, at >> 4))
    options = [Option(NAMES[at], on={NAMES[at]: _letter_at(at)}) for at in at_home]
    return Part("several", mark("Pieces on their first squares"), options, none=NOTHING)


def _letter_at(at: int) -> str:
    piece = FIRST_MOVERS[at]
    return _own(int(piece & BLACK > 0), LETTERS[piece & KIND])


def _make_recapture() -> Part:
    letters = "".join(LETTERS.values())
    none = Option(NOTHING, mark("no"))
    return Part("cell", mark("On"), [none], letters + letters.lower())


def _list_choices() -> list[Part]:
    """Each side's infiltrator, which is one of the other side's pieces."""
    letters = "".join(letter for letter, kind in KIND_OF.items() if kind <= LAST_ELIGIBLE)
    return [
        Part("cell", mark("White's infiltrator"), _STATES, letters.lower()),
        Part("cell", mark("Black's infiltrator"), _STATES, letters),
    ]


def _make_pool(rules: Rules) -> Field:
    label = mark("Can be brought back")
    letters = "".join(LETTERS[kind] for kind in BROUGHT_BACK)
    if rules.promotion:
        return make_counts("pool", label, letters + letters.lower())
    return Field("pool", label, [])
