"""What the tables have in common."""

from __future__ import annotations

from typing import Final

from sqlalchemy import MetaData, String

METADATA: Final = MetaData()
"""All tables; complete once the package `service.projection.database.tables` is imported."""

TEXT: Final = String().with_variant(String(collation="C"), "postgresql")
"""Texts that both databases compare code point by code point."""
