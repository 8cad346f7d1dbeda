"""The tournaments that lists show."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Column, Index, Integer, Table

from service.projection.database.tables.metadata import METADATA, TEXT

TOURNAMENT: Final = Table(
    "tournament",
    METADATA,
    Column("id", TEXT, primary_key=True),
    Column("version", Integer, nullable=False),
    Column("name", TEXT, nullable=False),
    Column("folded_name", TEXT, nullable=False),
    Column("variant", TEXT, nullable=False),
    Column("kind", TEXT, nullable=False),
    Column("status", TEXT, nullable=False),
    Column("players", Integer, nullable=False),
    Column("rounds", Integer, nullable=False),
    Column("creator", TEXT, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    # As in GAME.
    Column("head", BigInteger),
    Index("tournament_created", "created_at", "id"),
)

ENTRANT: Final = Table(
    "entrant",
    METADATA,
    Column("player", TEXT, primary_key=True),
    Column("tournament", TEXT, primary_key=True),
    Index("entrant_tournament", "tournament"),
    sqlite_with_rowid=False,
)
"""Who has entered which tournament, including those who withdrew."""
