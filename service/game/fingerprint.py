"""When two records are the same game, and when they say the same of it. Pure."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from notation.game import Game
from notation.registry import dialect
from service.game.importing import RULES_TAG

OCCASION: Final = ("Date", "Event", "Round")
"""The tags beside the players that tell one game from another with the same actions."""


def identity(game: Game, actions: str) -> tuple[str, ...]:
    """What makes a record this game: equal for duplicates and variants, for nothing else.

    Variant, first position (whatever was chosen in secret), players, date, event, round,
    `actions` (in coordinate form, parted by blanks) and result.
    """
    texts = dialect(game.variant)
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
    """The digest of what a record says, from its canonical text without names.

    The tag that the service adds on the way out, where there was none, says nothing new.
    """
    if RULES_TAG in tags:
        head, blank, movetext = text.partition("\n\n")
        lines = [line for line in head.split("\n") if not line.startswith(f"[{RULES_TAG} ")]
        text = "\n".join(lines) + blank + movetext
    return sha256(text.encode()).hexdigest()[:32]
