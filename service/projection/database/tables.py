"""The tables of the read models, the same in SQLite and PostgreSQL.

Times are milliseconds since 1970 UTC, ids those of the log's streams. A game has a `number` beside
its id, which sorts games by creation (`service.projection.games.numbers`): in every table by games
the newest ones are the highest numbers. Tables that are only read by their primary key have no
other order on disk (`sqlite_with_rowid=False`).
"""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
)

METADATA: Final = MetaData()

TEXT: Final = String().with_variant(String(collation="C"), "postgresql")
"""Texts that are compared code point by code point in either database."""

CHECKPOINT: Final = Table(
    "checkpoint",
    METADATA,
    Column("partition", Integer, primary_key=True, autoincrement=False),
    Column("position", TEXT, nullable=False),
)
"""How far each partition's feed is projected; written in the transaction of what it projected."""

DEAD_LETTER: Final = Table(
    "dead_letter",
    METADATA,
    Column("game", TEXT, primary_key=True),
    Column("reason", Text, nullable=False),
    Column("partition", Integer, nullable=False),
    Column("after", TEXT, nullable=False),
    Column("upto", TEXT, nullable=False),
    Column("last", Integer, nullable=False),
)
"""Games that could not be folded, and the range of the feed that names them."""

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
    # The mean of the ratings that are known, rounded down; 0 where none is.
    Column("rating", Integer, nullable=False),
    # Bit 0: the first side is played by a program, bit 1: the second.
    Column("computer", SmallInteger, nullable=False),
    Column("secret_choice", TEXT),
    Column("fen", Text),
    Column("rated", Boolean, nullable=False),
    # Of a challenge that stands.
    Column("expires_at", BigInteger),
    Column("tags", Text, nullable=False),
    # Ten bits of a digest of the id, and so random: a sample of all games for estimates.
    Column("sample", SmallInteger, nullable=False),
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
    # The actions in coordinate form, with blanks between and around.
    Column("actions", Text, nullable=False),
    # Which piece stood on which cell after each action (`service.projection.games.placements`).
    Column("placements", LargeBinary, nullable=False),
)
"""What was played in the finished games."""

SEAT: Final = Table(
    "seat",
    METADATA,
    Column("player", TEXT, primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("side", SmallInteger, primary_key=True, autoincrement=False),
    Column("variant", TEXT, nullable=False),
    # won, drawn, lost; null where the game counts for nobody
    Column("went", TEXT),
    # Who sits on the other side, or whom mergers made of them; null for a free seat.
    Column("opponent", TEXT),
    Index("seat_number", "number"),
    sqlite_with_rowid=False,
)
"""Who sits in which game; games of merged players also stand under each they were merged into."""

OPEN_GAME: Final = Table(
    "open_game",
    METADATA,
    Column("player", TEXT, primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Index("open_game_number", "number"),
    sqlite_with_rowid=False,
)
"""The offered and running games that concern a player."""

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
    # Known to its players, and to nobody who does not have its address.
    Column("private", Boolean, nullable=False),
    Column("expires_at", BigInteger),
    Index("challenge_open", "private", "opponent", "created_at", "id"),
    Index("challenge_creator", "creator", "created_at"),
)
"""The challenges that stand."""

GAME_TAG: Final = Table(
    "game_tag",
    METADATA,
    Column("pair", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)
"""The tag pairs by which games are found, each under a digest of 64 bits."""

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
"""What was played from positions that many games share; the others are counted from their rows."""

GAME_MATERIAL: Final = Table(
    "game_material",
    METADATA,
    Column("key", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)
"""What stood on the board of a finished game at some time, under a digest of 64 bits."""

OPENING_EDITION: Final = Table(
    "opening_edition",
    METADATA,
    # The version at which the table was loaded into the log.
    Column("edition", Integer, primary_key=True, autoincrement=False),
    # Up to which number the games are classified that were there before it, and how many.
    Column("reached", BigInteger, nullable=False),
    Column("classified", Integer, nullable=False),
    Column("games", Integer, nullable=False),
    Column("ready", Boolean, nullable=False),
)
"""The tables of openings that games are classified by; the newest that is `ready` is read."""

OPENING: Final = Table(
    "opening",
    METADATA,
    Column("edition", Integer, primary_key=True, autoincrement=False),
    # That of the position it names, as in GAME_POSITION.
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
    # A digest of a name that the game's opening has, is part of, or has as its code.
    Column("name", BigInteger, primary_key=True, autoincrement=False),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)
"""By which names of openings a finished game is found."""

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
)
"""The players, as of `version`."""

PLAYER_WORD: Final = Table(
    "player_word",
    METADATA,
    # A name from one of its first words on, as names are compared.
    Column("text", TEXT, primary_key=True),
    Column("player", TEXT, primary_key=True),
    Index("player_word_player", "player"),
    sqlite_with_rowid=False,
)
"""By which beginnings of words a player is found."""

NAMESAKE: Final = Table(
    "namesake",
    METADATA,
    Column("digest", TEXT, primary_key=True),
    Column("player", TEXT, primary_key=True),
    Index("namesake_player", "player"),
    sqlite_with_rowid=False,
)
"""Players under the digests of what their names look like."""

TOURNAMENT: Final = Table(
    "tournament",
    METADATA,
    Column("id", TEXT, primary_key=True),
    Column("version", Integer, nullable=False),
    Column("name", TEXT, nullable=False),
    Column("variant", TEXT, nullable=False),
    Column("kind", TEXT, nullable=False),
    Column("status", TEXT, nullable=False),
    Column("players", Integer, nullable=False),
    Column("rounds", Integer, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("updated_at", BigInteger, nullable=False),
    Index("tournament_created", "created_at", "id"),
)

IMPORT: Final = Table(
    "import",
    METADATA,
    Column("id", TEXT, primary_key=True),
    Column("by", TEXT, nullable=False),
    Column("begun_at", BigInteger, nullable=False),
    Index("import_begun", "begun_at", "id"),
    Index("import_by", "by", "begun_at", "id"),
)

RATED_GAME: Final = Table(
    "rated_game",
    METADATA,
    Column("id", TEXT, primary_key=True),
    Column("version", Integer, nullable=False),
    Column("variant", TEXT, nullable=False),
    Column("speed", TEXT, nullable=False),
    # Null for a game that counts nothing (any more).
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
)
"""What everybody had at the end of each period in which they played."""

RATING_DUE: Final = Table(
    "rating_due",
    METADATA,
    Column("variant", TEXT, primary_key=True),
    Column("speed", TEXT, primary_key=True),
    Column("since", BigInteger, nullable=False),
)
"""From when on ratings must be computed anew."""
