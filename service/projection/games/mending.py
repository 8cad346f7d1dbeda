"""Games whose rows are compared with the log, and rewritten where they differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import Connection, select

from service.game.repository import KIND, Games, stream_of
from service.log.feed_range import FeedRange
from service.log.interface import FEED_START
from service.projection.database.database import Database
from service.projection.database.tables import CHALLENGE, DEAD_LETTER, GAME, HELD_GAME, RATED_GAME
from service.projection.games.forgetting import forget_games, read_known_games
from service.projection.games.openings import Classifier
from service.projection.games.projection import GameProjection
from service.projection.short_heads import find_differing, read_heads
from service.projection.strict_imports import StrictImports
from service.projection.updates import Change, StreamUpdate


class GameMending:
    """Does for games what `service.projection.updates.Mendable` describes for other streams."""

    kind: Final = KIND

    def __init__(
        self, games: Games, database: Database, strict: StrictImports | None = None
    ) -> None:
        """Games of `strict` imports that are not complete are held back."""
        self.games = games
        self.database = database
        self.strict = strict

    def find_stale(self, connection: Connection, current: Mapping[str, int]) -> set[str]:
        """The games whose rows were made from other events than the log has, or that have none."""
        known: dict[str, int | None] = {}
        for column in (CHALLENGE.c.id, RATED_GAME.c.id, DEAD_LETTER.c.game):
            known |= dict.fromkeys(connection.execute(select(column)).scalars())
        known |= read_heads(connection, GAME) | read_heads(connection, HELD_GAME)
        return find_differing(known, current)

    def mend(self, stale: Sequence[str], found: Sequence[str]) -> Change:
        """Write the games in `found` anew, and delete the other stale ones.

        The returned change raises Overtaken where others have written one of them since.
        """
        known = self.database.read(lambda connection: read_known_games(connection, stale))
        incomplete = self.strict and self.strict.except_complete()
        prepared = GameProjection(self.games, strict=incomplete).prepare(
            {id: self._update(id) for id in found}
        )

        def change(connection: Connection) -> None:
            forget_games(connection, known, Classifier())
            prepared.write(connection)

        return change

    def _update(self, id: str) -> StreamUpdate:
        """An update for the whole of a game, which no range of the feed names."""
        nowhere = FeedRange(self.games.log.partition(stream_of(id)), FEED_START, FEED_START)
        return StreamUpdate(0, nowhere, new=True)
