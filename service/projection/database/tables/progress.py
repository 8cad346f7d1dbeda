"""How far the log is projected, and what could not be."""

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
"""How far each partition's feed is projected; written in the transaction of what it projected."""

DATA_VERSION: Final = Table(
    "data_version",
    METADATA,
    # There is one row, or none as long as there is nothing to answer with.
    Column("id", SmallInteger, primary_key=True, autoincrement=False),
    Column("version", BigInteger, nullable=False),
)
"""Another one after each change of what questions about finished games are answered from."""

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
