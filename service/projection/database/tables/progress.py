"""How far the log is projected, and what could not be projected."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Column, Integer, SmallInteger, Table, Text

from service.projection.database.tables.metadata import METADATA, TEXT

CHECKPOINT: Final = Table(
    "checkpoint",
    METADATA,
    Column("partition", Integer, primary_key=True, autoincrement=False),
    Column("position", TEXT, nullable=False),
)
"""How far each partition's feed is projected, written in the same transaction as the rows."""

DATA_VERSION: Final = Table(
    "data_version",
    METADATA,
    # There is one row, or none while there are no data.
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("version", BigInteger, nullable=False),
)
"""A number that differs after each change of what finished games are read from."""

DEAD_LETTER: Final = Table(
    "dead_letter",
    METADATA,
    Column("game", TEXT, primary_key=True),
    Column("reason", Text, nullable=False),
    Column("partition", Integer, nullable=False),
    Column("after", TEXT, nullable=False),
    Column("upto", TEXT, nullable=False),
    Column("last", Integer, nullable=False),
)
"""Games that could not be folded, and the range of the feed that names them."""
