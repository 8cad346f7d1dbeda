"""The games that lists show, their players, and the tags by which they are found."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    SmallInteger,
    Table,
    Text,
)

from service.projection.database.tables.metadata import METADATA, TEXT

GAME: Final = Table(
    "game",
    METADATA,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("id", TEXT, nullable=False, unique=True),
    Column("version", Integer, nullable=False),
    Column("variant", TEXT, nullable=False),
    Column("mode", TEXT, nullable=False),
    Column("status", TEXT, nullable=False),
    Column("first", TEXT),
    Column("second", TEXT),
    Column("result", TEXT),
    Column("termination", TEXT),
    Column("scored", Boolean, nullable=False),
    Column("first_points", Integer),
    Column("second_points", Integer),
    Column("plies", Integer, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
    # The earliest day it can be, as records write it: 1999.12.31. Empty where it is unknown.
    Column("day", TEXT, nullable=False),
    Column("speed", TEXT),
    Column("first_rating", Integer),
    Column("second_rating", Integer),
    # The mean of the known ratings, rounded down; 0 where none is known.
    Column("rating", Integer, nullable=False),
    # Bit 0: the first side is played by a program, bit 1: the second.
    Column("computer", SmallInteger, nullable=False),
    Column("secret_choice", TEXT),
    Column("fen", Text),
    Column("rated", Boolean, nullable=False),
    # Of an open challenge.
    Column("expires_at", BigInteger),
    Column("tags", Text, nullable=False),
    # Ten bits of a digest of the id, and so random: they pick a sample of all games for estimates.
    Column("sample", SmallInteger, nullable=False),
    # Of the head that the row was made from (`service.projection.short_heads`); null in rows of a
    # version that kept none.
    Column("head", BigInteger),
    Index("game_variant", "variant", "number"),
    Index("game_status", "status", "number"),
    Index("game_termination", "termination", "number"),
    Index("game_result", "result", "number"),
    Index("game_day", "day", "number"),
    Index("game_plies", "plies", "number"),
    Index("game_rating", "rating", "number"),
    Index("game_updated", "updated_at", "number"),
    Index("game_sample", "sample", "number"),
)
"""The games that lists show, as they stand at `version`; a prepared game has no row."""

GAME_PLAY: Final = Table(
    "game_play",
    METADATA,
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    # The actions in coordinate form, with blanks between and around them.
    Column("actions", Text, nullable=False),
    # Which piece stood on which cell after each action (`service.projection.games.placements`).
    Column("placements", LargeBinary, nullable=False),
)
"""What was played in the finished games, including those that are held back."""

SEAT: Final = Table(
    "seat",
    METADATA,
    Column("player", TEXT, primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("side", SmallInteger, primary_key=True, autoincrement=False),
    Column("variant", TEXT, nullable=False),
    # won, drawn, lost; null where the game counts for nobody
    Column("went", TEXT),
    # The player on the other side, or whoever mergers made of them; null for a free seat.
    Column("opponent", TEXT),
    Index("seat_number", "number"),
    sqlite_with_rowid=False,
)
"""Who sits in which game; games of merged players also stand under each survivor."""

OPEN_GAME: Final = Table(
    "open_game",
    METADATA,
    Column("player", TEXT, primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Index("open_game_number", "number"),
    sqlite_with_rowid=False,
)
"""The offered and running games that concern a player."""

GAME_TAG: Final = Table(
    "game_tag",
    METADATA,
    Column("pair", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)
"""The tag pairs by which games are found, each as a digest of 64 bits."""
