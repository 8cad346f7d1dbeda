"""The notation of Kerak (rules page `notation.md`)."""

from __future__ import annotations

from typing import Final

from notation.kerak.dialect import KerakDialect

KERAK_DIALECT: Final = KerakDialect()
