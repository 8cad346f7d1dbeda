"""The puzzles that are withdrawn, as admins are shown them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from sqlalchemy import select

from service.projection.cursors import is_older, read_cursor, write_cursor
from service.projection.database.database import Database
from service.projection.database.tables import PUZZLE_WITHDRAWAL

LIST: Final = "withdrawals"
"""The list that cursors are of."""


@dataclass(frozen=True, slots=True)
class ListedWithdrawal:
    """A withdrawn puzzle; `at` is when it was withdrawn, in milliseconds since 1970 UTC."""

    puzzle: str
    variant: str
    reason: str
    at: int


class WithdrawalPage(NamedTuple):
    """Withdrawals, newest first, and where the next page begins; None after the last."""

    withdrawals: list[ListedWithdrawal]
    next_cursor: str | None


class WithdrawalList:
    """The projected withdrawals; they lag behind the log as other lists do."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def page(self, cursor: str | None = None, limit: int = 50) -> WithdrawalPage:
        """Up to `limit` withdrawals in force that are older than `cursor`; raises BadCursor."""
        at = PUZZLE_WITHDRAWAL.c
        chosen = select(at.id, at.variant, at.reason, at.at).where(at.in_force)
        last_key = read_cursor(cursor, LIST)
        if last_key is not None:
            chosen = chosen.where(is_older(at.at, at.id, last_key))
        chosen = chosen.order_by(at.at.desc(), at.id.desc()).limit(limit + 1)
        rows = self.database.read(lambda connection: connection.execute(chosen).all())
        found = [ListedWithdrawal(*row) for row in rows]
        if len(found) <= limit:
            return WithdrawalPage(found, None)
        last = found[limit - 1]
        return WithdrawalPage(found[:limit], write_cursor((last.at, last.puzzle), LIST))
