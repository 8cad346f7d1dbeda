"""The imports that lists show."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Column, Index, Table

from service.projection.database.tables.metadata import METADATA, TEXT

IMPORT: Final = Table(
    "import",
    METADATA,
    Column("id", TEXT, primary_key=True),
    Column("by", TEXT, nullable=False),
    Column("begun_at", BigInteger, nullable=False),
    Index("import_begun", "begun_at", "id"),
    Index("import_by", "by", "begun_at", "id"),
)
