"""Whether two records are of the same game, and whether they say the same about it. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from engine.side import Side
from notation.game import Game
from notation.registry import find_dialect
from service.game.importing import RULES_TAG

OCCASION: Final = ("Date", "Event", "Round")
"""The tags besides the players that distinguish games with the same actions."""


def identity(game: Game, actions: str) -> tuple[str, ...]:
    """Compute the identity of a record's game, which only its duplicates and variants share.

    It covers variant, first position (without secret choices), players, date, event, round,
    `actions` (in coordinate form, separated by blanks) and result.
    """
    texts = find_dialect(game.variant)
    first, second = (normalised(game.tags[side]) for side in texts.variant.sides)
    occasion = (" ".join(game.tags.get(name, "?").split()) for name in OCCASION)
    start = texts.start(game.tags)
    if texts.sealing is not None:
        start = texts.sealing.view(start, list(Side))
    return (game.variant, texts.write_fen(start), first, second, *occasion, actions, game.result)


def normalised(name: str) -> str:
    """A player's name without what differs from source to source.

    >>> normalised("Lovelace,  ADA") == normalised("Ada Lovelace")
    True
    """
    last, comma, first = name.partition(",")
    whole = f"{first} {last}" if comma and "," not in first else name
    return " ".join(unicodedata.normalize("NFKC", whole).casefold().split())


def essence(text: str, tags: Mapping[str, str]) -> str:
    """Compute the digest of a record's content, from its canonical text without names."""
    return sha256(find_content(text, tags).encode()).hexdigest()[:32]


def find_content(text: str, tags: Mapping[str, str]) -> str:
    """Return a record's text without the tag that only the service adds on export."""
    if RULES_TAG not in tags:
        return text
    head, blank, movetext = text.partition("\n\n")
    lines = [line for line in head.split("\n") if not line.startswith(f"[{RULES_TAG} ")]
    return "\n".join(lines) + blank + movetext
