"""The infiltrators in a record's tags, and the commitments to them (rules page `notation.md`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from engine.kerd.board import (
    BLACK,
    KIND,
    LAST_ELIGIBLE,
    START,
    UNKNOWN,
    WITHOUT,
)
from engine.phrase import phrase
from notation.errors import BadCommitment, BadFen
from notation.fen import quote_text
from notation.kerd.names import NAMES, SQUARE_OF

SIDES: Final = ("White", "Black")
ELIGIBLE: Final = tuple(
    frozenset(
        NAMES[at]
        for at, piece in START.items()
        if piece & BLACK >> side and piece & KIND <= LAST_ELIGIBLE
    )
    for side in range(2)
)
"""The squares that White and Black may choose at the start of a game."""

_UNSAID: Final = {"?": UNKNOWN, "-": WITHOUT}
_NONCE: Final = re.compile("[0-9a-f]{32,}")
_COMMITMENT: Final = re.compile("[0-9a-f]{64}")


def commitment(square: str, nonce: str) -> str:
    """What is published when a choice is made: the lowercase hex SHA-256 of `square:nonce`.

    >>> commitment("d1", "5a386a92a1721938e15109a12b383b40")[:16]
    'fe4059ed1ed83192'
    """
    return sha256(f"{square}:{nonce}".encode("ascii")).hexdigest()


def is_nonce(text: str) -> bool:
    """Whether a text has the form of a nonce: at least 32 lowercase hex digits."""
    return _NONCE.fullmatch(text) is not None


def first_choices(tags: Mapping[str, str]) -> tuple[int, int]:
    """White's and Black's choice in a game from the usual start, unknown where no tag says it.

    Raises BadFen, its field the tag's name.
    """
    white, black = (_first_choice(tags, side) for side in range(2))
    return white, black


def _first_choice(tags: Mapping[str, str], side: int) -> int:
    tag = f"{SIDES[side]}Infiltrator"
    text = tags.get(tag, "?")
    if text in _UNSAID:
        return _UNSAID[text]
    if text not in ELIGIBLE[side]:
        raise BadFen(
            tag,
            phrase(
                "{text} is not the starting square of a piece that may be chosen",
                text=quote_text(text),
            ),
        )
    return SQUARE_OF[text]


def check_form(tags: Mapping[str, str]) -> None:
    """Check that the Infiltrator tags of a game set up by `FEN` name squares, `?` or `-`.

    The choices in the FEN are what counts. Raises BadFen, its field the tag's name.
    """
    for side in SIDES:
        text = tags.get(f"{side}Infiltrator", "?")
        if text not in _UNSAID and text not in SQUARE_OF:
            raise BadFen(
                f"{side}Infiltrator",
                phrase("{text} is neither a square nor '?' or '-'", text=quote_text(text)),
            )


def check_commitments(tags: Mapping[str, str]) -> None:
    """Check each side's commitment against its choice and nonce, where the record has all three.

    Raises BadCommitment.
    """
    for side in SIDES:
        tag = f"{side}Commitment"
        published = tags.get(tag)
        nonce = tags.get(f"{side}Nonce")
        square = tags.get(f"{side}Infiltrator", "?")
        if published is not None and not _COMMITMENT.fullmatch(published):
            raise BadCommitment(tag, "not 64 lowercase hex digits")
        if nonce is not None and not is_nonce(nonce):
            raise BadCommitment(tag, "the nonce is not at least 32 lowercase hex digits")
        if published is None or nonce is None or square in _UNSAID:
            continue
        if commitment(square, nonce) != published:
            raise BadCommitment(
                tag, phrase("not that of {square} with the given nonce", square=square)
            )
