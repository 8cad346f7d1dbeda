"""The positions and material of finished games, and what was played there."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Column, Integer, SmallInteger, Table

from service.projection.database.tables.metadata import METADATA, TEXT

GAME_POSITION: Final = Table(
    "game_position",
    METADATA,
    Column("key", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("ply", Integer, primary_key=True, autoincrement=False),
    # A digit for 0-1, 1/2-1/2, 1-0 and *.
    Column("result", SmallInteger, nullable=False),
    # What was played there in coordinate form; empty where the game ended.
    Column("action", TEXT, nullable=False),
    sqlite_with_rowid=False,
)
"""Every position of every finished game, under a digest of 64 bits; ply 0 is the first."""

CONTINUATION: Final = Table(
    "continuation",
    METADATA,
    Column("key", BigInteger, primary_key=True, autoincrement=False),
    Column("action", TEXT, primary_key=True),
    Column("first_wins", Integer, nullable=False),
    Column("draws", Integer, nullable=False),
    Column("second_wins", Integer, nullable=False),
    Column("unfinished", Integer, nullable=False),
    Column("rating_sum", BigInteger, nullable=False),
    Column("rated", Integer, nullable=False),
    sqlite_with_rowid=False,
)
"""What was played from positions that many games share; others are counted from their rows."""

SHARED_POSITION: Final = Table(
    "shared_position",
    METADATA,
    Column("key", BigInteger, primary_key=True, autoincrement=False),
    Column("rating", Integer, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)
"""The games of positions that have rows in CONTINUATION, by rating; those of others are few."""

GAME_MATERIAL: Final = Table(
    "game_material",
    METADATA,
    Column("key", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)
"""The material on the board of a finished game at some time, under a digest of 64 bits."""
