"""What a token of Kerak's notation says, read without a position.

Leniencies: either form; `x`, `+`, `#` missing or superfluous; more of the origin than needed;
squares with capital letters. `A5B4` may then be an Archer's move or a piece's from a5: it is
ambiguous if both are legal.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from engine.kerak.action import PASS, move, placement
from engine.kerak.board import BOARD
from engine.kerak.pieces import PieceKind, kind_of
from engine.kerak.validity import PIECES
from engine.naming import TARGET
from engine.position import Action
from notation.squares import read_origin

LETTERS: Final = "IAVNHC"
"""The letters of the kinds of piece, in their table's order."""

PIECE_OF: Final = dict(zip(LETTERS + LETTERS.lower(), PIECES, strict=True))
"""Pieces by letter: Red's are capitals."""

SPACE_OF: Final = {name: space for space, name in enumerate(BOARD.names)}
"""Spaces by name."""

LONGEST: Final = 32
"""The length of the longest token that means anything."""

_MOVE: Final = re.compile(rf"([{LETTERS}])([a-i]?[1-9]?)x?([a-i][1-9])[+#]*")
_COORDINATE: Final = re.compile(r"([a-i][1-9])x?([a-i][1-9])[+#]*")
_PLACEMENT: Final = re.compile(rf"([{LETTERS}])@([a-i][1-9])[+#]*")
_PASS: Final = re.compile(r"--[+#]*")
_SMALL: Final = str.maketrans("ABCDEFGHI", "abcdefghi")


@dataclass(frozen=True, slots=True)
class MoveSyntax:
    """A move as written: `kind` is None in coordinate form, `origin` what it says of the origin."""

    kind: PieceKind | None
    origin: str
    target: int


@dataclass(frozen=True, slots=True)
class PlacementSyntax:
    """The placement of a piece of the side to move on a space."""

    kind: PieceKind
    space: int


@dataclass(frozen=True, slots=True)
class PassSyntax:
    """The pass, written `--`."""


Syntax: TypeAlias = MoveSyntax | PlacementSyntax | PassSyntax


@lru_cache(maxsize=4096)
def parse_token(token: str) -> tuple[Syntax, ...]:
    """The readings of a token without a position; none if no form fits.

    >>> parse_token("A5xb4")
    (MoveSyntax(kind=<PieceKind.ARCHER: 2>, origin='5', target=5),)
    >>> len(parse_token("A5xB4"))
    2
    """
    if len(token) > LONGEST:
        return ()
    if written := _as_written(token):
        return (written,)
    small = token.translate(_SMALL)
    readings = (_as_written(small), _as_written(token[:1] + small[1:]))
    return tuple(reading for reading in readings if reading is not None)


def _as_written(token: str) -> Syntax | None:
    match = _MOVE.fullmatch(token) or _COORDINATE.fullmatch(token) or _PLACEMENT.fullmatch(token)
    if match is None:
        return PassSyntax() if _PASS.fullmatch(token) else None
    target = SPACE_OF.get(match.groups()[-1])
    if target is None:
        return None
    if match.re is _COORDINATE:
        return MoveSyntax(None, match.group(1), target) if match.group(1) in SPACE_OF else None
    kind = kind_of(PIECE_OF[match.group(1)])
    return (
        PlacementSyntax(kind, target)
        if match.re is _PLACEMENT
        else MoveSyntax(kind, match.group(2), target)
    )


@lru_cache(maxsize=1 << 13)
def read_token(token: str) -> int:
    """The reading of a token (`engine.naming`)."""
    match parse_token(token):
        case (MoveSyntax(kind=PieceKind() as kind, origin=origin, target=target),):
            return int(kind) | target << TARGET | read_origin(origin)
        case (syntax,):
            return -read_action(syntax)
    return 0


def read_action(syntax: Syntax) -> Action:
    """The action meant by a token that names all of it."""
    if isinstance(syntax, MoveSyntax):
        return move(SPACE_OF[syntax.origin], syntax.target)
    if isinstance(syntax, PlacementSyntax):
        return placement(syntax.kind, syntax.space)
    return PASS
