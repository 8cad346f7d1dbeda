"""What a token of Katruji's notation says, read without a position.

Leniencies: either form; `x`, `+`, `#` missing or superfluous; `=S`/`=O` missing (but never a piece
other than the promotion makes); more of the origin than needed; squares with capital letters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias

from engine.katruji.board import ALKA, KYAN, SQUARES
from engine.naming import MADE, TARGET
from engine.position import Action
from notation.squares import read_origin

PIECES: Final = ("", "P", "S", "O")
SPOKEN: Final = ("piece", "Hutu (Private)", "Ali (Sergeant)", "Isza (Officer)")
"""The pieces as sentences name them: Katruji's own names with the English ones (Ruling R38)."""
WORDS: Final = {"Kyan": KYAN, "Alka": ALKA}
NAMES: Final = {square: "abcd"[square % 8] + str(square // 8 + 1) for square in SQUARES}
"""The name of each square."""
SQUARE_OF: Final = {name: square for square, name in NAMES.items()}
"""The square of each name."""
LONGEST: Final = 32
"""The length of the longest token that means anything."""

_STEP: Final = re.compile(r"([PSO]?)([a-d]?)([1-8]?)x?([a-d][1-8])(?:=([SO]))?[+#]*")
_WORD: Final = re.compile(r"(Kyan|Alka)[+#]*")
_SMALL: Final = str.maketrans("ABCD", "abcd")


@dataclass(frozen=True, slots=True)
class MoveSyntax:
    """A move as written; unstated parts are empty (`origin`) or 0 (`piece`, `promotion`)."""

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
    if len(token) > LONGEST:
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
    return MoveSyntax(PIECES.index(piece), file + rank, SQUARE_OF[target], PIECES.index(promotion))


@lru_cache(maxsize=1 << 13)
def read_token(token: str) -> int:
    """The reading of a token (`engine.naming`)."""
    match parse_token(token):
        case Word(action):
            return -action
        case MoveSyntax(piece, origin, target, promotion):
            return piece | promotion << MADE | target << TARGET | read_origin(origin)
    return 0
