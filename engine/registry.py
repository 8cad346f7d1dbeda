"""The variants by name. A new game is one line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine.errors import UnknownVariant
from engine.katruji import KATRUJI
from engine.kerak import KERAK
from engine.kerd import KERD, KERD_DRAFT
from engine.variant import Variant

VARIANTS: Final[Mapping[str, Variant]] = MappingProxyType(
    {v.name: v for v in (KATRUJI, KERAK, KERD, KERD_DRAFT)}
)


def find_variant(name: str) -> Variant:
    """The variant of this name; UnknownVariant when there is none.

    >>> find_variant("katruji").sides
    ('South', 'North')
    """
    try:
        return VARIANTS[name]
    except KeyError:
        raise UnknownVariant(name, tuple(VARIANTS)) from None
