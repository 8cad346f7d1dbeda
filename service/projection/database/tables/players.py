"""Players, by their ids and by their names."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, Table

from service.projection.database.tables.metadata import METADATA, TEXT

PLAYER: Final = Table(
    "player",
    METADATA,
    Column("id", TEXT, primary_key=True),
    Column("version", Integer, nullable=False),
    # Erased and merged players have no name here.
    Column("name", TEXT),
    Column("claimed", Boolean, nullable=False),
    Column("registered_at", BigInteger, nullable=False),
    Column("odd", Boolean, nullable=False),
    # As in GAME.
    Column("head", BigInteger),
)
"""The players, as of `version`."""

PLAYER_WORD: Final = Table(
    "player_word",
    METADATA,
    # The rest of a name from one of its first words on, in the form in which names are compared.
    Column("text", TEXT, primary_key=True),
    Column("player", TEXT, primary_key=True),
    Index("player_word_player", "player"),
    sqlite_with_rowid=False,
)
"""The beginnings of words by which a player is found."""

SHORT_NAME: Final = Table(
    "short_name",
    METADATA,
    # A name of a single word, whole or without one of its letters.
    Column("text", TEXT, primary_key=True),
    Column("player", TEXT, primary_key=True),
    Index("short_name_player", "player"),
    sqlite_with_rowid=False,
)
"""The texts by which a player with a one-word name is found despite one wrong letter."""

NAMESAKE: Final = Table(
    "namesake",
    METADATA,
    Column("digest", TEXT, primary_key=True),
    Column("player", TEXT, primary_key=True),
    Index("namesake_player", "player"),
    sqlite_with_rowid=False,
)
"""Players under the digests of what their names look like."""
