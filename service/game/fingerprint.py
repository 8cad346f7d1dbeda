"""Whether two records are of the same game, and whether they say the same about it. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from hashlib import sha256
from typing import Final

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
    fen = texts.write_fen(texts.start(game.tags))
    return (game.variant, fen, first, second, *occasion, actions, game.result)


def normalised(name: str) -> str:
    """A player's name without what differs from source to source.

    >>> normalised("Lovelace,  ADA") == normalised("Ada Lovelace")
    True
    """
    last, comma, first = name.partition(",")
    whole = f"{first} {last}" if comma and "," not in first else name
    return " ".join(unicodedata.normalize("NFKC", whole).casefold().split())


def essence(text: str, tags: Mapping[str, str]) -> str:
    """Compute the digest of a record's content, from its canonical text without names.

    A tag that only the service added on export does not count.
    """
    if RULES_TAG in tags:
        head, blank, movetext = text.partition("\n\n")
        lines = [line for line in head.split("\n") if not line.startswith(f"[{RULES_TAG} ")]
        text = "\n".join(lines) + blank + movetext
    return sha256(text.encode()).hexdigest()[:32]
