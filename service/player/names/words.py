"""The words of a name, in the form in which a search for players compares them."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

WORDS: Final = 6
"""The number of words, from the first, by which a player is found."""
_WORD: Final = re.compile(r"[^\W_]+")


def words(name: str) -> list[str]:
    """The words of a name in the form in which they are compared.

    >>> words("Łukasz  d'Été")
    ['łukasz', 'd', 'ete']
    """
    parted = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(char for char in parted if not unicodedata.combining(char))
    return _WORD.findall(plain) or plain.split()


def starts(name: str) -> list[str]:
    """A name, starting at each of its first words.

    >>> starts("Ada King")
    ['ada_king', 'king']
    """
    found = words(name)
    return ["_".join(found[n:]) for n in range(min(len(found), WORDS))]
