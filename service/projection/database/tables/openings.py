"""The tables of openings that were loaded, and the openings of games by them."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, Table

from service.projection.database.tables.metadata import METADATA, TEXT

OPENING_EDITION: Final = Table(
    "opening_edition",
    METADATA,
    # The version at which the table was loaded into the log.
    Column("edition", Integer, primary_key=True, autoincrement=False),
    # The highest number of the games that were there before it and are classified, and their count.
    Column("reached", BigInteger, nullable=False),
    Column("classified", Integer, nullable=False),
    Column("games", Integer, nullable=False),
    Column("ready", Boolean, nullable=False),
)
"""The tables of openings that games are classified by; the newest `ready` one is read."""

OPENING: Final = Table(
    "opening",
    METADATA,
    Column("edition", Integer, primary_key=True, autoincrement=False),
    # The key of the position it names, as in GAME_POSITION.
    Column("key", BigInteger, primary_key=True, autoincrement=False),
    Column("name", TEXT, nullable=False),
    Column("code", TEXT),
    sqlite_with_rowid=False,
)
"""The positions that a table of openings names."""

GAME_OPENING: Final = Table(
    "game_opening",
    METADATA,
    Column("edition", Integer, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("key", BigInteger, nullable=False),
    sqlite_with_rowid=False,
)
"""The last named position that a finished game reached."""

NAMED_GAME: Final = Table(
    "named_game",
    METADATA,
    Column("edition", Integer, primary_key=True, autoincrement=False),
    # A digest of a name that the game's opening has or is part of, or of its code.
    Column("name", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    # As in GAME.
    Column("rating", Integer, nullable=False),
    Index("named_game_rating", "edition", "name", "rating", "number"),
    sqlite_with_rowid=False,
)
"""The names of openings by which a finished game is found."""
