"""The tables of the read models, the same in SQLite and PostgreSQL.

Times are milliseconds since 1970 UTC, and ids are those of the log's streams. Besides its id, a
game has a number, which sorts games by creation (`service.projection.games.numbers`): in every
table about games the newest ones have the highest numbers. Tables that are read only by their
primary key have no other order on disk (`sqlite_with_rowid=False`).
"""

from __future__ import annotations

from service.projection.database.tables.challenges import CHALLENGE
from service.projection.database.tables.games import GAME, GAME_PLAY, GAME_TAG, OPEN_GAME, SEAT
from service.projection.database.tables.held_games import HELD_GAME
from service.projection.database.tables.imports import IMPORT
from service.projection.database.tables.metadata import METADATA, TEXT
from service.projection.database.tables.openings import (
    GAME_OPENING,
    NAMED_GAME,
    OPENING,
    OPENING_EDITION,
)
from service.projection.database.tables.players import (
    NAMESAKE,
    PLAYER,
    PLAYER_WORD,
    SHORT_NAME,
)
from service.projection.database.tables.positions import (
    CONTINUATION,
    GAME_MATERIAL,
    GAME_POSITION,
    SHARED_POSITION,
)
from service.projection.database.tables.progress import CHECKPOINT, DATA_VERSION, DEAD_LETTER
from service.projection.database.tables.puzzles import (
    ATTEMPT,
    ATTEMPT_DUE,
    FOUND_PUZZLE,
    PUZZLE,
    PUZZLE_COLLECTION,
    PUZZLE_THEME,
    PUZZLE_WITHDRAWAL,
    SEARCHED_GAME,
    SOLVER,
)
from service.projection.database.tables.ratings import RATED_GAME, RATING, RATING_DUE
from service.projection.database.tables.tournaments import ENTRANT, TOURNAMENT

__all__ = [
    "ATTEMPT",
    "ATTEMPT_DUE",
    "CHALLENGE",
    "CHECKPOINT",
    "CONTINUATION",
    "DATA_VERSION",
    "DEAD_LETTER",
    "ENTRANT",
    "FOUND_PUZZLE",
    "GAME",
    "GAME_MATERIAL",
    "GAME_OPENING",
    "GAME_PLAY",
    "GAME_POSITION",
    "GAME_TAG",
    "HELD_GAME",
    "IMPORT",
    "METADATA",
    "NAMED_GAME",
    "NAMESAKE",
    "OPENING",
    "OPENING_EDITION",
    "OPEN_GAME",
    "PLAYER",
    "PLAYER_WORD",
    "PUZZLE",
    "PUZZLE_COLLECTION",
    "PUZZLE_THEME",
    "PUZZLE_WITHDRAWAL",
    "RATED_GAME",
    "RATING",
    "RATING_DUE",
    "SEARCHED_GAME",
    "SEAT",
    "SHARED_POSITION",
    "SHORT_NAME",
    "SOLVER",
    "TEXT",
    "TOURNAMENT",
]
