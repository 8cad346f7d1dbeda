"""The open challenges: those that the lobby lists, and those that a player has made or received.

They are found here and read from the log, which alone says whether a challenge is still open.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Select, delete, func, insert, or_, select, tuple_

from service.game.outline import GameOutline
from service.game.terms import Visibility
from service.game.values import GameStatus, Mode
from service.projection.database.chunks import batched
from service.projection.database.database import Database
from service.projection.database.tables import CHALLENGE
from service.projection.errors import DatabaseError
from service.projection.games.terms import find_speed_class

MOST_OF_PLAYER: Final = 1000
"""The most challenges of one player that are found at once."""
PATIENCE: Final = 0.5
"""Seconds that a new challenge waits for the count of its player's others."""
CHUNK: Final = 500

Place = tuple[int, str]
"""Where a challenge stands in a list: when it was created, and its id."""


@dataclass(frozen=True, slots=True)
class ChallengeFilter:
    """Which open challenges are wanted; None means any."""

    variant: str | None = None
    speed: str | None = None
    rated: bool | None = None

    def fits(self, challenge: GameOutline) -> bool:
        """Whether a challenge passes the filter."""
        return (
            self.variant in (None, challenge.variant)
            and self.speed in (None, find_speed_class(challenge.tags))
            and self.rated in (None, challenge.terms.rated)
        )


def find_opponent(challenge: GameOutline) -> str | None:
    """The player who is challenged; None where anybody may accept."""
    return next((id for id in challenge.seats if id not in (None, challenge.creator)), None)


def is_in_lobby(game: GameOutline) -> bool:
    """Whether a game is a challenge that everybody may see and accept."""
    public = game.terms.visibility is Visibility.PUBLIC
    return game.status is GameStatus.OFFERED and public and find_opponent(game) is None


def write_challenges(connection: Connection, states: Sequence[GameOutline]) -> None:
    """Write which of these games are open challenges."""
    challenges = [state for state in states if state.mode is Mode.CHALLENGE]
    over = [state.id for state in challenges if state.status is not GameStatus.OFFERED]
    remove_challenges(connection, over)
    rows = [_row(state) for state in challenges if state.status is GameStatus.OFFERED]
    if rows:
        known = select(CHALLENGE.c.id).where(CHALLENGE.c.id.in_([row["id"] for row in rows]))
        there = set(connection.execute(known).scalars())
        new = [row for row in rows if row["id"] not in there]
        if new:
            connection.execute(insert(CHALLENGE), new)


def remove_challenges(connection: Connection, ids: Sequence[str]) -> None:
    """Remove these games from the open challenges."""
    for some in batched(ids, CHUNK):
        connection.execute(delete(CHALLENGE).where(CHALLENGE.c.id.in_(some)))


def _row(state: GameOutline) -> dict[str, Any]:
    return {
        "id": state.id,
        "created_at": state.created_at,
        "variant": state.variant,
        "speed": find_speed_class(state.tags),
        "rated": state.terms.rated,
        "creator": state.creator,
        "opponent": find_opponent(state),
        "private": state.terms.visibility is Visibility.PRIVATE,
        "expires_at": state.expires_at,
    }


class Challenges:
    """The challenges in a database; they lag behind the log as `Checkpoints` says."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def list_open(
        self, filter: ChallengeFilter, now: int, limit: int, after: Place | None = None
    ) -> list[Place]:
        """The public challenges that anybody may accept, newest first, up to `limit`.

        `after` is the place of the last challenge on the previous page.
        """
        at = CHALLENGE.c
        chosen = select(at.created_at, at.id).where(
            at.private.is_(False),
            at.opponent.is_(None),
            or_(at.expires_at.is_(None), at.expires_at > now),
        )
        for column, value in (
            (at.variant, filter.variant),
            (at.speed, filter.speed),
            (at.rated, filter.rated),
        ):
            if value is not None:
                chosen = chosen.where(column == value)
        return self._read(chosen, limit, after)

    def list_of_player(
        self, player: str, limit: int = MOST_OF_PLAYER, after: Place | None = None
    ) -> list[Place]:
        """The challenges that a player has made or received, private ones too, up to `limit`.

        The newest come first; `after` is as in `list_open`.
        """
        at = CHALLENGE.c
        chosen = select(at.created_at, at.id)
        return self._read(
            chosen.where(or_(at.creator == player, at.opponent == player)), limit, after
        )

    def count_made(self, player: str, now: int) -> int | None:
        """How many challenges of a player stand; None if the database does not answer in time."""
        at = CHALLENGE.c
        chosen = select(func.count()).where(
            at.creator == player, or_(at.expires_at.is_(None), at.expires_at > now)
        )
        with suppress(DatabaseError):
            return self.database.read(
                lambda connection: connection.execute(chosen).scalar_one(), PATIENCE
            )
        return None

    def _read(
        self, chosen: Select[tuple[int, str]], limit: int, after: Place | None
    ) -> list[Place]:
        at = CHALLENGE.c
        if after is not None:
            chosen = chosen.where(tuple_(at.created_at, at.id) < tuple_(*after))
        page = chosen.order_by(at.created_at.desc(), at.id.desc()).limit(limit)
        rows = self.database.read(lambda connection: connection.execute(page).all())
        return [(row.created_at, row.id) for row in rows]
