"""Dead letters: games that could not be folded, set aside so that nothing else waits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, func, insert, select

from service.log.feed_range import FeedRange
from service.projection.database.database import Database
from service.projection.database.tables import DEAD_LETTER
from service.projection.database.texts import storable


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A game that could not be folded, the `reason`, and the range of the feed that names it.

    `last` is the game's newest version in that range, 0 if a rebuild found the game.
    """

    game: str
    reason: str
    feed_range: FeedRange
    last: int


def describe_error(error: Exception) -> str:
    """The reason to store for an exception that a game's events raised."""
    return storable(f"{type(error).__name__}: {error}")


def write_letters(connection: Connection, letters: Iterable[DeadLetter]) -> None:
    """Write dead letters in place of earlier ones of the same games."""
    for letter in letters:
        remove_letters(connection, [letter.game])
        row = {
            "game": letter.game,
            "reason": letter.reason,
            "partition": letter.feed_range.partition,
            "after": letter.feed_range.after,
            "upto": letter.feed_range.upto,
            "last": letter.last,
        }
        connection.execute(insert(DEAD_LETTER).values(row))


def remove_letters(connection: Connection, games: Iterable[str]) -> None:
    """Remove the dead letters of games by id; ids that are not there are ignored."""
    ids = [{"id": id} for id in games]
    if ids:
        connection.execute(delete(DEAD_LETTER).where(DEAD_LETTER.c.game == bindparam("id")), ids)


def read_letters(connection: Connection) -> list[DeadLetter]:
    """Every dead letter, by the game's id."""
    return [_letter(row) for row in connection.execute(select(DEAD_LETTER).order_by("game"))]


class DeadLetters:
    """The games that could not be folded; the lists show them as before their bad event.

    A projection that has any is degraded.
    """

    def __init__(self, database: Database) -> None:
        self.database = database

    def all(self) -> list[DeadLetter]:
        """Every dead letter, by the game's id."""
        return self.database.read(read_letters)

    def count(self) -> int:
        """The number of dead letters."""
        chosen = select(func.count()).select_from(DEAD_LETTER)
        return self.database.read(lambda connection: connection.execute(chosen).scalar_one())


def _letter(row: Row[Any]) -> DeadLetter:
    feed_range = FeedRange(row.partition, row.after, row.upto)
    return DeadLetter(row.game, row.reason, feed_range, row.last)
