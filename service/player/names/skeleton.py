"""Names that look alike have a key in common.

The skeleton is that of UTS #39, section 4 (`internalSkeleton`: a name that may be chosen has no
characters that change its direction, so its order is left as it is). The keys go further: they
ignore case and compatibility forms, so `VICTIM`, `ｖｉｃｔｉｍ` and `Vіctim` with a Cyrillic і have
the key of `Victim`.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

from service.player.names.table import unicode_table

KEPT: Final = 10_000
"""The most names whose keys are cached: lists show the same names again and again."""


def skeleton(text: str) -> str:
    """The prototypes of a text's visible characters.

    >>> skeleton("Vіctim") == skeleton("Victim"), skeleton("modern")
    (True, 'rnodern')
    """
    parted = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFD", parted.translate(unicode_table().prototypes))


@lru_cache(KEPT)
def lookalike_keys(name: str) -> tuple[str, ...]:
    """The keys of a name, one or two; names that have one of them in common look alike.

    Names that share a skeleton look alike, and so do names that differ only in case, spaces or
    letter forms.

    >>> lookalike_keys("Vіctim") == lookalike_keys("VICTIM") == ("vlctlrn",)
    True
    >>> look_alike("ΜΑΡΊΑ", "Μαρία"), look_alike("AIice", "alice"), look_alike("Ada", "Ida")
    (True, True, False)
    """
    # The prototype of a small letter need not be that of its capital in small: in Latin letters
    # case and likeness agree, in others either alone is looked at.
    seen = (_folded(skeleton(name)), _folded(name))
    return tuple(dict.fromkeys(" ".join(_key(text).split()) for text in seen))


def look_alike(one: str, other: str) -> bool:
    """Whether two names can be taken for each other."""
    return not set(lookalike_keys(one)).isdisjoint(lookalike_keys(other))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _key(text: str) -> str:
    # A capital i is drawn as a small L is: case and likeness together make i and l one.
    return skeleton(text).casefold().replace("i", "l")
