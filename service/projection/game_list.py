"""The games of one player: the offered and running ones, and the results of the others."""

from __future__ import annotations

from typing import Final, NamedTuple

from sqlalchemy import func, select

from engine.registry import VARIANTS
from service.game.values import GameStatus
from service.projection.challenges import Challenges
from service.projection.database.database import Database
from service.projection.database.tables import GAME, OPEN_GAME, SEAT
from service.projection.games.openings import LISTED
from service.projection.games.search import to_summary
from service.projection.summary import DRAWN, LOST, WON, GameSummary

MOST_OPEN: Final = 1000


class Results(NamedTuple):
    """The numbers of games that a player has won, drawn and lost."""

    won: int
    drawn: int
    lost: int


class GameList:
    """The projected games of players; they lag behind the log as `Checkpoints` says."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def open_games(self, player: str) -> list[GameSummary]:
        """The games offered or running that concern a player, newest first, up to 1000.

        Of more than that, those that are played are kept: otherwise whoever challenges a player
        a thousand times would hide the games in which the player's clock runs.
        """
        kept = (
            select(GAME.c.number)
            .join_from(OPEN_GAME, GAME, GAME.c.number == OPEN_GAME.c.number)
            .where(OPEN_GAME.c.player == player)
            .order_by(GAME.c.status == GameStatus.OFFERED, GAME.c.number.desc())
            .limit(MOST_OPEN)
            .subquery()
        )
        chosen = (
            select(*LISTED)
            .join_from(kept, GAME, GAME.c.number == kept.c.number)
            .order_by(GAME.c.number.desc())
        )
        rows = self.database.read(lambda connection: connection.execute(chosen).all())
        return [to_summary(row) for row in rows]

    def open_ids(self, player: str) -> list[str]:
        """The ids of the player's open games, and of private challenges, which no list shows."""
        private = Challenges(self.database).list_of_player(player)
        listed = [game.id for game in self.open_games(player)]
        return list(dict.fromkeys([*listed, *(id for _, id in private)]))

    def results(self, player: str) -> dict[str, Results]:
        """A player's results by variant; games without a result are not counted."""
        at = SEAT.c
        chosen = (
            select(at.variant, at.went, func.count())
            .where(at.player == player, at.went.is_not(None))
            .group_by(at.variant, at.went)
        )
        rows = self.database.read(lambda connection: connection.execute(chosen).all())
        counts = {(variant, went): count for variant, went, count in rows}
        found = {
            variant: Results(*(counts.get((variant, went), 0) for went in (WON, DRAWN, LOST)))
            for variant in VARIANTS
        }
        return {variant: results for variant, results in found.items() if any(results)}
