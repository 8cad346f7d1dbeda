"""The puzzles of games in the log: recorded once for each analysis of a game."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from service.errors import NotFound, WrongExpectedVersion
from service.log.entity import Entity
from service.log.interface import EventLog
from service.log.repository import Done, Repository
from service.player.actor import Actor
from service.puzzles.found.commands import RecordPuzzles
from service.puzzles.found.decide import create, decide
from service.puzzles.found.state import KIND, GamePuzzles, fold

FINDER: Final = "movelog:puzzles"
"""The finder of puzzles, in the place of a player's id."""
CACHED: Final = 100
"""Games whose puzzles are cached."""


class FoundPuzzles(Repository[GamePuzzles, RecordPuzzles, RecordPuzzles, Actor]):
    """The puzzles found in games, by the games' ids."""

    def __init__(self, log: EventLog, clock: Callable[[], int]) -> None:
        entity = Entity(kind=KIND, fold=fold, create=create, decide=decide, cached=CACHED)
        super().__init__(log, clock, entity)

    def record(self, game: str, command: RecordPuzzles) -> Done[GamePuzzles]:
        """Record what was found in a game; does nothing if the same analysis was used before."""
        actor = Actor(FINDER)
        try:
            return self.execute(game, command, actor)
        except NotFound:
            pass
        try:
            return self.create(game, command, actor)
        except WrongExpectedVersion:
            # Another worker was faster.
            return self.execute(game, command, actor)
