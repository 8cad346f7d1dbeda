"""The names by which players sign in: each belongs to one player, whatever its case."""

from __future__ import annotations

from typing import Final

from engine.phrase import phrase
from service.accounts.account import LOGIN, fold_login
from service.accounts.claims import Claims
from service.accounts.errors import NameInUse
from service.accounts.store import AccountStore, Index
from service.errors import BadValue

AT: Final = "@"
"""It is in every e-mail address, and in no name to sign in by."""


class Logins:
    """The names to sign in by and their players, in an account store."""

    def __init__(self, store: AccountStore) -> None:
        self.store = store
        self.claims = Claims(store, Index.LOGINS, self._has)

    def find(self, login: str) -> str | None:
        """The player who signs in by this; an address finds its owner, even if it is a name too.

        The store is asked for both, so that the time reveals nothing.
        """
        by_name = self.store.find_player(Index.LOGINS, fold_login(login))
        key = self.store.address_key(login.strip())
        return self.store.find_player(Index.ADDRESSES, key) or by_name

    def claim(self, player: str, login: str) -> None:
        """Let a player sign in by a name; raises NameInUse, and BadValue for an address.

        The player's account has to have the name soon (`Claims.claim`), then call `settle`.
        """
        folded = fold_login(login)
        if AT in folded:
            raise BadValue(
                "name",
                phrase("holds {at!r}, as e-mail addresses do: sign in by another name", at=AT),
            )
        if not self.claims.claim(player, folded):
            raise NameInUse(login)

    def release(self, player: str, login: str) -> None:
        """Stop a player from signing in by a name."""
        self.claims.release(player, fold_login(login))

    def settle(self, player: str) -> None:
        """Note that a player's account has the claimed name, or never will."""
        self.claims.settle(player)

    def release_unused(self, player: str, login: str) -> None:
        """Give back a claimed name, unless the player signs in by it."""
        if not self._has(player, fold_login(login)):
            self.release(player, login)

    def _has(self, player: str, folded: str) -> bool:
        kept = self.store.find_part(player, LOGIN)
        return kept is not None and fold_login(kept) == folded
