"""Solvers in the log: attempts recorded, once for each player and puzzle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from notation.errors import NotationError
from service.errors import NotFound, WrongExpectedVersion
from service.log.entity import Entity
from service.log.interface import EventLog
from service.log.repository import Done, Repository
from service.log.values import Receipt
from service.player.actor import Actor
from service.puzzles.attempts.commands import AttemptPuzzle
from service.puzzles.attempts.decide import create, decide
from service.puzzles.attempts.state import KIND, SolverState, fold
from service.puzzles.errors import AttemptOpen

CACHED: Final = 200_000
"""Attempts of all solvers together that are cached."""


def weigh(state: SolverState) -> int:
    """How much memory a solver takes, in attempts."""
    return 1 + len(state.attempts)


class Solvers(Repository[SolverState, AttemptPuzzle, AttemptPuzzle, Actor]):
    """The solvers in a log, by their players' ids."""

    def __init__(self, log: EventLog, clock: Callable[[], int]) -> None:
        entity = Entity(
            kind=KIND,
            fold=fold,
            create=create,
            decide=decide,
            refusals=(NotationError,),
            cached=CACHED,
            weigh=weigh,
        )
        super().__init__(log, clock, entity)

    def attempt(
        self, player: str, command: AttemptPuzzle, receipt: Receipt | None = None
    ) -> Done[SolverState]:
        """Record an attempt that is over; does nothing if the player has tried the puzzle before.

        Raises AlreadyDone if the receipt's key was used before, and what `decide` raises.
        """
        actor = Actor(player)
        try:
            return self.execute(player, command, actor, receipt=receipt)
        except NotFound:
            pass
        try:
            return self.create(player, command, actor, receipt)
        except WrongExpectedVersion:
            # Another request has recorded the player's first attempt in the meantime.
            return self.execute(player, command, actor, receipt=receipt)

    def has_tried(self, player: str, puzzle: str) -> bool:
        """Whether a player's attempt at a puzzle is over."""
        state = self.find(player)
        return state is not None and puzzle in state.attempts

    def list_newest(self, player: str, count: int) -> list[str]:
        """The puzzles that a player tried last, at most `count`; the newest is the last."""
        state = self.find(player)
        return [] if state is None else list(state.attempts)[-count:]

    def check_tried(self, player: str, puzzle: str) -> None:
        """Raise AttemptOpen unless a player's attempt at a puzzle is over."""
        if not self.has_tried(player, puzzle):
            raise AttemptOpen(puzzle)
