"""Games that count for ratings, and the ratings."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Boolean, Column, Float, Index, Integer, Table

from service.projection.database.tables.metadata import METADATA, TEXT

RATED_GAME: Final = Table(
    "rated_game",
    METADATA,
    Column("id", TEXT, primary_key=True),
    Column("version", Integer, nullable=False),
    Column("variant", TEXT, nullable=False),
    Column("speed", TEXT, nullable=False),
    # Null for a game that does not count, or no longer.
    Column("ended_at", BigInteger),
    Column("first", TEXT),
    Column("second", TEXT),
    Column("score", Float),
    Index("rated_game_ended", "variant", "speed", "ended_at", "id"),
)

RATING: Final = Table(
    "rating",
    METADATA,
    Column("variant", TEXT, primary_key=True),
    Column("speed", TEXT, primary_key=True),
    Column("player", TEXT, primary_key=True),
    Column("period", Integer, primary_key=True, autoincrement=False),
    Column("rating", Float, nullable=False),
    Column("deviation", Float, nullable=False),
    Column("volatility", Float, nullable=False),
    Column("games", Integer, nullable=False),
    Column("latest", Boolean, nullable=False),
    Index("rating_period", "variant", "speed", "period"),
    Index("rating_latest", "variant", "speed", "latest", "player"),
    Index("rating_ranking", "variant", "speed", "latest", "rating", "player"),
)
"""Every player's rating at the end of each period in which they played."""

RATING_DUE: Final = Table(
    "rating_due",
    METADATA,
    Column("variant", TEXT, primary_key=True),
    Column("speed", TEXT, primary_key=True),
    Column("since", BigInteger, nullable=False),
)
"""The time from which on ratings must be computed anew."""
