"""The open challenges."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Boolean, Column, Index, Table

from service.projection.database.tables.metadata import METADATA, TEXT

CHALLENGE: Final = Table(
    "challenge",
    METADATA,
    Column("id", TEXT, primary_key=True),
    Column("created_at", BigInteger, nullable=False),
    Column("variant", TEXT, nullable=False),
    Column("speed", TEXT, nullable=False),
    Column("rated", Boolean, nullable=False),
    Column("creator", TEXT, nullable=False),
    # Null where anybody may accept it.
    Column("opponent", TEXT),
    # Known to its players, and to nobody else without its address.
    Column("private", Boolean, nullable=False),
    Column("expires_at", BigInteger),
    Index("challenge_open", "private", "opponent", "created_at", "id"),
    Index("challenge_creator", "creator", "created_at"),
)
