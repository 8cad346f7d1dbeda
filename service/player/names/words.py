"""The words of a name, as names are compared where players are looked for."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

WORDS: Final = 6
"""By how many words of a name a player is found: the first ones."""
_WORD: Final = re.compile(r"[^\W_]+")


def words(name: str) -> list[str]:
    """The words of a name as they are compared.

    >>> words("Łukasz  d'Été")
    ['łukasz', 'd', 'ete']
    """
    parted = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(char for char in parted if not unicodedata.combining(char))
    return _WORD.findall(plain) or plain.split()


def starts(name: str) -> list[str]:
    """A name from each of its first words on.

    >>> starts("Ada King")
    ['ada_king', 'king']
    """
    found = words(name)
    return ["_".join(found[n:]) for n in range(min(len(found), WORDS))]
