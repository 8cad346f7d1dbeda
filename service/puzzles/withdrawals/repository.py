"""The withdrawals of puzzles in the log, by the puzzles' ids."""

from __future__ import annotations

from collections.abc import Callable

from service.errors import NotFound, WrongExpectedVersion
from service.log.entity import Entity
from service.log.interface import EventLog
from service.log.repository import Repository
from service.player.actor import Actor
from service.puzzles.withdrawals.commands import RestorePuzzle, WithdrawalCommand, WithdrawPuzzle
from service.puzzles.withdrawals.decide import create, decide
from service.puzzles.withdrawals.state import KIND, Withdrawal, fold


class Withdrawals(Repository[Withdrawal, WithdrawPuzzle, WithdrawalCommand, Actor]):
    """The withdrawals of puzzles."""

    def __init__(self, log: EventLog, clock: Callable[[], int]) -> None:
        super().__init__(log, clock, Entity(kind=KIND, fold=fold, create=create, decide=decide))

    def withdraw(self, puzzle: str, command: WithdrawPuzzle, by: str) -> Withdrawal:
        """Withdraw a puzzle; does nothing if it is withdrawn for this reason."""
        actor = Actor(by)
        try:
            return self.execute(puzzle, command, actor).state
        except NotFound:
            pass
        try:
            return self.create(puzzle, command, actor).state
        except WrongExpectedVersion:
            # Another admin was faster.
            return self.execute(puzzle, command, actor).state

    def restore(self, puzzle: str, by: str) -> Withdrawal:
        """Restore a puzzle; does nothing if it is restored. Raises NotFound if it never was."""
        return self.execute(puzzle, RestorePuzzle(), Actor(by)).state
