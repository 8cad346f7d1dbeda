"""Commands to a puzzle that is withdrawn, or was."""

from __future__ import annotations

from typing import TypeAlias

from service.log.declarations import command


@command
class WithdrawPuzzle:
    """Offer the puzzle to nobody any more, for a `reason` that only admins are told."""

    variant: str
    reason: str


@command
class RestorePuzzle:
    """Offer the puzzle again."""


WithdrawalCommand: TypeAlias = WithdrawPuzzle | RestorePuzzle
