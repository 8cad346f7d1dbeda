"""Puzzles, players' attempts at them, and the ratings of both."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Boolean, Column, Float, Index, Integer, Table, Text

from service.projection.database.tables.metadata import METADATA, TEXT

PUZZLE: Final = Table(
    "puzzle",
    METADATA,
    Column("id", TEXT, primary_key=True),
    Column("variant", TEXT, nullable=False),
    Column("fen", Text, nullable=False),
    # The action before the position; empty for none.
    Column("last", TEXT, nullable=False),
    # Actions and themes, with blanks between.
    Column("line", Text, nullable=False),
    Column("themes", Text, nullable=False),
    # Its rating before anybody had tried it, and its rating now.
    Column("estimate", Integer, nullable=False),
    Column("rating", Float, nullable=False),
    Column("deviation", Float, nullable=False),
    Column("volatility", Float, nullable=False),
    Column("attempts", Integer, nullable=False),
    Index("puzzle_variant", "variant", "id"),
    Index("puzzle_rating", "variant", "rating", "id"),
)
"""The puzzles that can be tried."""

PUZZLE_COLLECTION: Final = Table(
    "puzzle_collection",
    METADATA,
    Column("digest", TEXT, primary_key=True),
)
"""The digest of the puzzles that came with the service when the rows of PUZZLE were last compared.

There is one row, or none before that.
"""

PUZZLE_THEME: Final = Table(
    "puzzle_theme",
    METADATA,
    Column("variant", TEXT, primary_key=True),
    Column("theme", TEXT, primary_key=True),
    Column("puzzle", TEXT, primary_key=True),
    # As in PUZZLE.
    Column("rating", Float, nullable=False),
    Index("puzzle_theme_puzzle", "puzzle"),
    Index("puzzle_theme_rating", "variant", "theme", "rating", "puzzle"),
    sqlite_with_rowid=False,
)
"""The themes of the puzzles."""

SEARCHED_GAME: Final = Table(
    "searched_game",
    METADATA,
    Column("id", TEXT, primary_key=True),
    Column("version", Integer, nullable=False),
    # As in GAME.
    Column("head", BigInteger),
)
"""The games that were searched for puzzles, as of `version`."""

FOUND_PUZZLE: Final = Table(
    "found_puzzle",
    METADATA,
    Column("puzzle", TEXT, primary_key=True),
    Column("game", TEXT, primary_key=True),
    # How many actions into the game it stands, and when it was found.
    Column("ply", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
    # As in PUZZLE.
    Column("variant", TEXT, nullable=False),
    Column("fen", Text, nullable=False),
    Column("last", TEXT, nullable=False),
    Column("line", Text, nullable=False),
    Column("themes", Text, nullable=False),
    Column("estimate", Integer, nullable=False),
    Index("found_puzzle_game", "game"),
)
"""The puzzles that were found in games; one may be in several."""

PUZZLE_WITHDRAWAL: Final = Table(
    "puzzle_withdrawal",
    METADATA,
    Column("id", TEXT, primary_key=True),
    Column("variant", TEXT, nullable=False),
    Column("reason", Text, nullable=False),
    # Whether the puzzle is withdrawn; false once it was restored.
    Column("in_force", Boolean, nullable=False),
    # When that last changed.
    Column("at", BigInteger, nullable=False),
    Column("version", Integer, nullable=False),
    # As in GAME.
    Column("head", BigInteger),
)
"""The puzzles that were ever withdrawn, as of `version`."""

SOLVER: Final = Table(
    "solver",
    METADATA,
    Column("id", TEXT, primary_key=True),
    Column("version", Integer, nullable=False),
    # As in GAME.
    Column("head", BigInteger),
)
"""The players who have tried puzzles, as of `version`."""

ATTEMPT: Final = Table(
    "attempt",
    METADATA,
    Column("player", TEXT, primary_key=True),
    Column("puzzle", TEXT, primary_key=True),
    Column("variant", TEXT, nullable=False),
    # Attempts are rated in the order of these two and the player.
    Column("at", BigInteger, nullable=False),
    Column("version", Integer, nullable=False),
    Column("solved", Boolean, nullable=False),
    Column("help", TEXT, nullable=False),
    Column("actions", Text, nullable=False),
    Column("estimate", Integer, nullable=False),
    # The remaining columns are null until the attempt is rated.
    Column("player_before", Float),
    Column("player_rating", Float),
    Column("player_deviation", Float),
    Column("player_volatility", Float),
    Column("player_attempts", Integer),
    Column("puzzle_before", Float),
    Column("puzzle_rating", Float),
    Column("puzzle_deviation", Float),
    Column("puzzle_volatility", Float),
    Column("puzzle_attempts", Integer),
    Index("attempt_order", "variant", "at", "player", "version"),
    Index("attempt_player", "player", "variant", "at", "version"),
    Index("attempt_puzzle", "puzzle", "at", "player", "version"),
)
"""Players' first attempts at puzzles, and the ratings of both before and after them."""

ATTEMPT_DUE: Final = Table(
    "attempt_due",
    METADATA,
    Column("variant", TEXT, primary_key=True),
    Column("since", BigInteger, nullable=False),
)
"""The time from which on the attempts of a variant are to be rated, some perhaps again."""
