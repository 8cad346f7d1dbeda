"""The dialects by variant name. A new game is one line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from engine.registry import variant
from notation.dialect import Dialect
from notation.katruji import KatrujiDialect
from notation.kerak import KERAK_DIALECT

DIALECTS: Final[Mapping[str, Dialect]] = MappingProxyType(
    {d.variant.name: d for d in (KatrujiDialect(), KERAK_DIALECT)}
)


def dialect(name: str) -> Dialect:
    """The dialect of the variant of this name; `engine.errors.UnknownVariant` without one."""
    return DIALECTS[variant(name).name]
