"""The notation of Katruji (rules page `notation.md`)."""

from __future__ import annotations

from typing import Final

from notation.katruji.dialect import KatrujiDialect
from notation.katruji.token import MoveSyntax, Word, parse_token

__all__ = ["KATRUJI_DIALECT", "KatrujiDialect", "MoveSyntax", "Word", "parse_token"]

KATRUJI_DIALECT: Final = KatrujiDialect()
