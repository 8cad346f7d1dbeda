"""The tables of the archive's directory."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
)

TABLES: Final = MetaData()
IDENTITY: Final = Table("identity", TABLES, Column("id", String, primary_key=True))
REMOVALS: Final = Table("removals", TABLES, Column("number", BigInteger, nullable=False))
"""One row: how many times something was about to leave Redis. It never falls."""
SEGMENT: Final = Table(
    "segment",
    TABLES,
    Column("number", Integer, primary_key=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column("size", BigInteger, nullable=False),
    Column("dictionary", Integer, nullable=False),
    Column("made_at", BigInteger, nullable=False),
)
STREAM: Final = Table(
    "stream",
    TABLES,
    Column("kind", String, primary_key=True),
    Column("id", String, primary_key=True),
    Column("segment", ForeignKey(SEGMENT.c.number), nullable=False, index=True),
    Column("start", Integer, nullable=False),
    Column("length", Integer, nullable=False),
    Column("version", Integer, nullable=False),
    Column("head", LargeBinary(32), nullable=False),
    Column("sealed", Boolean, nullable=False),
    Column("made_at", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
UNNAMED: Final = Table(
    "unnamed",
    TABLES,
    Column("name", String, primary_key=True),
    Column("seen_at", BigInteger, nullable=False),
    Column("condemned", Boolean, nullable=False),
    sqlite_with_rowid=False,
)
"""Objects found unreferenced, since when, and whether they may never be referenced again."""
FEED: Final = Table(
    "feed",
    TABLES,
    Column("partition", Integer, primary_key=True, autoincrement=False),
    # The position of the newest pointer of the chunk, as a pair that sorts.
    Column("last_at", BigInteger, primary_key=True, autoincrement=False),
    Column("last_number", BigInteger, primary_key=True, autoincrement=False),
    Column("after", String, nullable=False),
    Column("pointers", Integer, nullable=False),
    Column("segment", String(64), nullable=False),
    Column("start", Integer, nullable=False),
    Column("length", Integer, nullable=False),
    Column("made_at", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
"""The archived chunks of the partitions' feeds."""


def find_insert(connection: Connection) -> Any:
    """The INSERT of a connection's dialect, which says what to do about an existing row."""
    # A process never needs more than one dialect, and PostgreSQL's takes long to import.
    return import_module(f"sqlalchemy.dialects.{connection.dialect.name}").insert
