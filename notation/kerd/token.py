"""What a token of Kerd's notation says, read without a position.

Leniencies: either form; `x`, `+`, `#` missing or superfluous; `P` before a Pawn's move; more of
the origin than needed; zeros in castling; squares with capital letters if no form fits the token
as written, in every way in which its letters can be squares.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final, TypeAlias

from engine.kerd.action import Deed, execute, reveal
from engine.kerd.board import AROUND, COMMANDER, MARGIN, PAWN
from engine.naming import FROM_FILE, FROM_RANK, LONG, MADE, PARTNER, SHORT, TARGET
from notation.kerd.names import KIND_OF, SQUARE, SQUARE_OF
from notation.squares import read_origin

LONGEST: Final = 32
"""The length of the longest token that means anything."""
MOST_CAPITALS: Final = 6
"""The most letters that could be squares' or pieces' in a token that means anything."""

_CAPITALS: Final = "ABCDEFGHIJKL"
_ORIGIN: Final = "([a-l]?)(1[0-2]|[1-9])?"
_PROMOTION: Final = "(?:=([QTBSHJC]))?"
_STEP: Final = re.compile(f"([KQTJSHBCP]?){_ORIGIN}x?({SQUARE}){_PROMOTION}[+#]*")
_JOINT: Final = re.compile(f"(C?){_ORIGIN}x?({SQUARE})&P?{_ORIGIN}x?({SQUARE}){_PROMOTION}[+#]*")
_DEED: Final = re.compile(f"([RX]):({SQUARE})[+#]*")
_CASTLING: Final = re.compile("[O0]-[O0](-[O0])?[+#]*")


@dataclass(frozen=True, slots=True)
class MoveSyntax:
    """A move as written; unstated parts are 0 (`kind`, `promotion`) or empty (`origin`)."""

    kind: int
    origin: str
    target: int
    promotion: int = 0


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint advance: the Commander's half, and the Pawn's with its promotion."""

    commander: MoveSyntax
    pawn: MoveSyntax


@dataclass(frozen=True, slots=True)
class Castling:
    """A castling to the short or the long side."""

    long: bool


@dataclass(frozen=True, slots=True)
class RevealOrExecution:
    """A reveal or an execution."""

    deed: Deed
    square: int


Syntax: TypeAlias = MoveSyntax | Joint | Castling | RevealOrExecution


@lru_cache(maxsize=8192)
def parse_token(token: str) -> tuple[Syntax, ...]:
    """The readings of a token: none, one, or several where capitals may be squares or pieces.

    >>> parse_token("Hxe3")
    (MoveSyntax(kind=5, origin='', target=70, promotion=0),)
    >>> [said.kind for said in parse_token("BC5")], parse_token("e13")
    ([4, 1], ())
    """
    if len(token) > LONGEST:
        return ()
    said = _as_written(token)
    if said is not None:
        return (said,)
    if sum(letter in _CAPITALS for letter in token) > MOST_CAPITALS:
        return ()
    readings = ("".join(letters) for letters in product(*map(_letters, token)))
    return tuple(dict.fromkeys(found for text in readings if (found := _as_written(text))))


def _letters(letter: str) -> str:
    return letter + letter.lower() if letter in _CAPITALS else letter


def _as_written(token: str) -> Syntax | None:
    if match := _STEP.fullmatch(token):
        letter, file, rank, target, promotion = match.groups("")
        kind = KIND_OF[letter] if letter else 0 if file and rank else PAWN
        return _step(kind, file + rank, target, promotion)
    if match := _JOINT.fullmatch(token):
        letter, file, rank, target, pawn_file, pawn_rank, pawn_target, promotion = match.groups("")
        if letter or (file and rank):
            return Joint(
                _step(COMMANDER, file + rank, target, ""),
                _step(PAWN, pawn_file + pawn_rank, pawn_target, promotion),
            )
    if match := _DEED.fullmatch(token):
        deed = Deed.REVEAL if match.group(1) == "R" else Deed.EXECUTE
        return RevealOrExecution(deed, SQUARE_OF[match.group(2)])
    if match := _CASTLING.fullmatch(token):
        return Castling(long=match.group(1) is not None)
    return None


def _step(kind: int, origin: str, target: str, promotion: str) -> MoveSyntax:
    return MoveSyntax(kind, origin, SQUARE_OF[target], KIND_OF[promotion] if promotion else 0)


@lru_cache(maxsize=1 << 13)
def read_token(token: str) -> int:
    """The reading of a token (`engine.naming`)."""
    match parse_token(token):
        case (MoveSyntax() as step,):
            return _read_step(step)
        case (Joint(commander, MoveSyntax(origin="") as beside),):
            way = beside.target - commander.target
            if way in AROUND:
                partner = AROUND.index(way) + 1
                return _read_step(commander) | beside.promotion << MADE | partner << PARTNER
        case (RevealOrExecution(Deed.REVEAL, square),):
            return -reveal(square)
        case (RevealOrExecution(_, square),):
            return -execute(square)
        case (Castling(long),):
            return LONG if long else SHORT
    return 0


def _read_step(step: MoveSyntax) -> int:
    """The reading of a move that is not a castling."""
    origin = read_origin(step.origin)
    if origin >> FROM_FILE & 15:
        origin += MARGIN - 1 << FROM_FILE
    if origin >> FROM_RANK:
        origin += MARGIN - 1 << FROM_RANK
    return step.kind | step.promotion << MADE | step.target << TARGET | origin
