"""Positions of Kerd set up from values instead of played (rules page `notation.md`, FEN)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from engine.errors import InvalidPosition
from engine.kerd.board import (
    BLACK,
    BROUGHT_BACK,
    CASTLING_SIDES,
    FRESH,
    FULL_SET,
    KIND,
    KING,
    KING_HOME,
    LAST_ELIGIBLE,
    PIECE,
    REVEALED,
    START,
    TOWER,
    TOWER_HOME,
    UNKNOWN,
    WHITE,
    is_square,
)
from engine.kerd.kernel import Position
from engine.kerd.rules import Rules
from engine.kerd.state import State
from engine.phrase import phrase

ALL_CASTLINGS: Final = (1 << CASTLING_SIDES) - 1
LARGEST: Final = 999_999_999
"""The largest move number; the kernel counts them in 32 bits."""
BARE: Final[Mapping[int, int]] = MappingProxyType({at: p & PIECE for at, p in START.items()})
"""The pieces of the first position, in the form that `set_up` takes."""
FIRST_MOVERS: Final[Mapping[int, int]] = MappingProxyType(
    {at: p & PIECE for at, p in START.items() if p & FRESH}
)
"""The Pawns and Commanders among them."""


def start(rules: Rules) -> Position:
    """The first position, the choices unknown."""
    return _first(rules).copy()


@lru_cache
def _first(rules: Rules) -> Position:
    return set_up(rules, BARE, side=0, castlings=ALL_CASTLINGS if rules.castling else 0)


def set_up(
    rules: Rules,
    pieces: Mapping[int, int],
    *,
    side: int,
    castlings: int = 0,
    spent: Collection[int] = (),
    recapture: int | None = None,
    choices: tuple[int, int] = (UNKNOWN, UNKNOWN),
    checked: bool = False,
    pool: Mapping[int, int] = MappingProxyType({}),
    number: int = 1,
) -> Position:
    """The position of these values.

    - `pieces`: colour | kind by square;
    - `castlings`: bits 1 << n of those whose King and Tower have not moved;
    - `spent`: the squares of Pawns and Commanders on their own starting squares whose first move
      is gone;
    - `recapture`: the square where the last move took a Pawn;
    - `choices`: White's and Black's infiltrator;
    - `checked`: whether a King has been in check;
    - `pool`: the removed pieces, colour | kind, with their numbers.

    Raises InvalidPosition, its field named as in the FEN.
    """
    _check_kings(rules, pieces, side)
    _check_castlings(rules, pieces, castlings)
    _check_spent(pieces, spent)
    if recapture is not None and not pieces.get(recapture, 0) & BLACK >> side:
        raise InvalidPosition("recapture", "the piece that captured must stand there")
    _check_choices(pieces, choices)
    _check_pool(rules, pieces, choices, pool)
    if not 1 <= number <= LARGEST:
        raise InvalidPosition(
            "move", phrase("{number} is not from 1 to {most}", number=number, most=LARGEST)
        )
    position = Position(State(rules))
    fresh = {
        at: piece | FRESH
        for at, piece in pieces.items()
        if at not in spent and _may_be_fresh(pieces, at)
    }
    position.assign(
        {**pieces, **fresh}, side, castlings, recapture or 0, choices, checked, pool, number
    )
    _check_checks(position, rules, choices, checked)
    return position


def _may_be_fresh(pieces: Mapping[int, int], at: int) -> bool:
    """Whether a Pawn or Commander stands on a starting square of its own kind and side."""
    return at in FIRST_MOVERS and pieces.get(at) == FIRST_MOVERS[at]


def _check_kings(rules: Rules, pieces: Mapping[int, int], side: int) -> None:
    for owner, name in enumerate(("White", "Black")):
        kings = sum(1 for piece in pieces.values() if piece == WHITE << owner | KING)
        if kings > 1:
            raise InvalidPosition(
                "placement", phrase("{name} has {kings} Kings", name=phrase(name), kings=kings)
            )
        if kings == 0 and not (rules.king_is_captured and owner == side):
            raise InvalidPosition("placement", phrase("{name} has no King", name=phrase(name)))


def _check_castlings(rules: Rules, pieces: Mapping[int, int], castlings: int) -> None:
    if castlings and not rules.castling:
        raise InvalidPosition("castling", "this variant has none")
    for n in range(CASTLING_SIDES):
        own = WHITE << n // 2
        if castlings & 1 << n and not (
            pieces.get(KING_HOME[n]) == own | KING and pieces.get(TOWER_HOME[n]) == own | TOWER
        ):
            raise InvalidPosition("castling", "King and Tower must stand on their first squares")


def _check_spent(pieces: Mapping[int, int], spent: Collection[int]) -> None:
    if not all(_may_be_fresh(pieces, at) for at in spent):
        raise InvalidPosition(
            "spent", "only Pawns and Commanders on starting squares of their own are listed"
        )


def _check_choices(pieces: Mapping[int, int], choices: tuple[int, int]) -> None:
    for owner, choice in enumerate(choices):
        if is_square(choice):
            piece = pieces.get(choice, 0)
            if not (piece & BLACK >> owner and piece & KIND <= LAST_ELIGIBLE):
                raise InvalidPosition(
                    "infiltrators",
                    "an enemy Pawn, Commander, Bishop, Hussar or Jumper must stand there",
                )


def _check_pool(
    rules: Rules, pieces: Mapping[int, int], choices: tuple[int, int], pool: Mapping[int, int]
) -> None:
    """No side has more than the set; a side that has revealed may have one eligible piece more."""
    if pool and not rules.promotion:
        raise InvalidPosition("pool", "this variant has none")
    if not all(piece & KIND in BROUGHT_BACK for piece in pool):
        raise InvalidPosition("pool", "Kings and Pawns cannot be brought back")
    on_board = Counter(pieces.values())
    for field, counts in (("placement", on_board), ("pool", on_board + Counter(pool))):
        for owner, name in enumerate(("White", "Black")):
            over = {kind: counts[WHITE << owner | kind] - full for kind, full in FULL_SET.items()}
            gained = sum(n for kind, n in over.items() if n > 0 and kind <= LAST_ELIGIBLE)
            if any(n > 0 and kind > LAST_ELIGIBLE for kind, n in over.items()) or gained > (
                choices[owner] == REVEALED
            ):
                raise InvalidPosition(
                    field, phrase("{name} has more pieces than the set", name=phrase(name))
                )


def _check_checks(
    position: Position, rules: Rules, choices: tuple[int, int], checked: bool
) -> None:
    if not rules.king_is_captured and position.is_attacked(1 - position.side):
        raise InvalidPosition("placement", "the side to move could capture the King")
    if not checked and position.is_attacked(position.side):
        raise InvalidPosition("checked", "the King to move is attacked")
    if not checked and REVEALED in choices:
        raise InvalidPosition("checked", "nobody reveals before a check")
