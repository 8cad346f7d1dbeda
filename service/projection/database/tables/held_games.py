"""The games of strict imports that are not shown yet."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Column, Index, LargeBinary, Table

from service.projection.database.tables.games import GAME
from service.projection.database.tables.metadata import METADATA, TEXT

HELD_GAME: Final = Table(
    "held_game",
    METADATA,
    *(
        Column(
            of.name,
            of.type,
            primary_key=of.primary_key,
            autoincrement=False,
            nullable=of.nullable,
            unique=of.unique,
        )
        for of in GAME.columns
        if of.name != "head"
    ),
    # The strict import that the game came with.
    Column("import", TEXT, nullable=False),
    # The keys of its positions, eight bytes each; null unless the game is finished.
    Column("keys", LargeBinary),
    # As in GAME, where they were added later.
    Column("head", BigInteger),
    Index("held_game_import", "import", "number"),
)
"""The rows of games that are not shown before their strict import is complete.

The large parts of these games are in the other tables already, under numbers that GAME does not
have.
"""
