"""The notation of Kerd and Kerd Draft (rules page `notation.md`)."""

from __future__ import annotations

from typing import Final

from engine.kerd import KERD, KERD_DRAFT
from engine.kerd.rules import DRAFT, RULEBOOK
from notation.kerd.dialect import KerdDialect

KERD_DIALECT: Final = KerdDialect(KERD, RULEBOOK)
KERD_DRAFT_DIALECT: Final = KerdDialect(KERD_DRAFT, DRAFT)
