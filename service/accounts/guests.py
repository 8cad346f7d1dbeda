"""Removing guests who never came back and have left nothing behind."""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import monotonic
from typing import Final

from service.accounts.account import Account
from service.accounts.store import AccountStore
from service.errors import ServiceError

log = logging.getLogger(__name__)

DAY: Final = 24 * 3600 * 1000
BATCH: Final = 500
"""The most guests that one run examines."""
LONGEST: Final = 10.0
"""Seconds after which a run leaves the other guests to the next one."""


class GuestRemoval:
    """Removes the guests of an account store; `clock` gives milliseconds since 1970 UTC.

    A guest is removed `days` after the last use of their browser's session. One who has since set a
    password or made a token stays, and so does one who `has_left` something, such as a game, which
    keeps both names. With 0 days everybody stays.
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
        """Examine the guests who may be due by now; returns how many were removed."""
        if not self.days:
            return 0
        until = self.clock() - self.days * DAY
        removed = 0
        deadline = monotonic() + LONGEST
        for player in self.store.list_guests(until, BATCH):
            if monotonic() > deadline:
                break
            try:
                removed += self._settle(player, until)
            except ServiceError as error:
                # A guest who cannot be removed waits as long again, so that others still get their
                # turn.
                log.warning("the guest %s is not removed: %s", player, error)
                self.store.note_guest(player, self.clock())
        return removed

    def _settle(self, player: str, until: int) -> bool:
        """Remove a guest, or note when to look again if ever; returns whether they were removed."""
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
