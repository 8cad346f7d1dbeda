"""Whether the lists know anything of a player: games, challenges, tournaments, imports, puzzles."""

from __future__ import annotations

from typing import Final

from sqlalchemy import exists, or_, select

from service.projection.database.database import Database
from service.projection.database.tables import (
    ATTEMPT,
    CHALLENGE,
    ENTRANT,
    IMPORT,
    OPEN_GAME,
    SEAT,
    TOURNAMENT,
)

PLACES: Final = (
    SEAT.c.player,
    OPEN_GAME.c.player,
    CHALLENGE.c.creator,
    CHALLENGE.c.opponent,
    TOURNAMENT.c.creator,
    ENTRANT.c.player,
    IMPORT.c.by,
    ATTEMPT.c.player,
)
"""The columns in which a player can occur."""


def has_left_traces(database: Database, player: str) -> bool:
    """Whether a player occurs anywhere in the lists, which may lag; raises DatabaseError."""
    asked = select(or_(*(exists().where(place == player) for place in PLACES)))
    return bool(database.read(lambda connection: connection.execute(asked).scalar()))
