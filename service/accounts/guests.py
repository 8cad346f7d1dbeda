"""Guests who never came back and have left nothing behind are removed after a while."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from service.accounts.account import Account
from service.accounts.store import AccountStore
from service.errors import ServiceError

log = logging.getLogger(__name__)

DAY: Final = 24 * 3600 * 1000
BATCH: Final = 500
"""Guests who are looked at in one run, at most."""


class GuestRemoval:
    """Removes the guests of an account store; `clock` gives milliseconds since 1970 UTC.

    A guest goes `days` after the last use of their browser's session, but for one who has kept
    the account by a password or a token, or `has_left` something: a game, say, keeps both names.
    With 0 days everybody stays.
    """

    def __init__(
        self,
        store: AccountStore,
        is_guest: Callable[[str], bool],
        has_left: Callable[[str], bool],
        erase: Callable[[str], None],
        clock: Callable[[], int],
        days: int,
    ) -> None:
        self.store = store
        self.is_guest = is_guest
        self.has_left = has_left
        self.erase = erase
        self.clock = clock
        self.days = days

    def run(self) -> int:
        """Look at those who may be due by now; returns how many were removed."""
        if not self.days:
            return 0
        until = self.clock() - self.days * DAY
        removed = 0
        for player in self.store.list_guests(until, BATCH):
            try:
                removed += self._settle(player, until)
            except ServiceError as error:
                # Whoever cannot be removed waits as long again, and keeps nobody else from it.
                log.warning("the guest %s is not removed: %s", player, error)
                self.store.note_guest(player, self.clock())
        return removed

    def _settle(self, player: str, until: int) -> bool:
        """Remove a guest, or say when to look again if ever; whether they were removed."""
        seen = _find_last_use(self.store.load(player))
        if seen > until:
            self.store.note_guest(player, seen)
            return False
        self.store.forget_guest(player)
        if not self.is_guest(player) or self.has_left(player):
            return False
        self.erase(player)
        return True


def _find_last_use(account: Account) -> int:
    return max((session.used_at for session in account.sessions), default=0)
