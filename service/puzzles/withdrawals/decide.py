"""`decide(command, state, actor)`: whether a puzzle is withdrawn or restored."""

from __future__ import annotations

from collections.abc import Sequence

from service.log.values import Event
from service.player.actor import Actor
from service.puzzles.withdrawals.commands import RestorePuzzle, WithdrawalCommand, WithdrawPuzzle
from service.puzzles.withdrawals.events import PuzzleRestored, PuzzleWithdrawn
from service.puzzles.withdrawals.state import Withdrawal


def create(command: WithdrawPuzzle, actor: Actor) -> Sequence[Event]:
    """The event of a puzzle that is withdrawn for the first time."""
    return (PuzzleWithdrawn(variant=command.variant, reason=command.reason),)


def decide(command: WithdrawalCommand, state: Withdrawal, actor: Actor) -> Sequence[Event]:
    """The event of the command; none if nothing would change, not even the reason."""
    if isinstance(command, RestorePuzzle):
        return (PuzzleRestored(),) if state.in_force else ()
    return () if state.in_force and state.reason == command.reason else create(command, actor)
