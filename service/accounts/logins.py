"""The names by which players sign in: each belongs to one player, whatever its case."""

from __future__ import annotations

from typing import Final

from engine.phrase import phrase
from service.accounts.account import LOGIN, fold_login
from service.accounts.errors import NameInUse
from service.accounts.store import AccountStore, Index
from service.errors import BadValue

CLAIMING: Final = "claiming:"
"""Before the id of a player for whom a name is being claimed."""
CLAIMING_S: Final = 600
"""Seconds after which a claim whose player does not sign in by the name is void."""
AT: Final = "@"
"""It is in every e-mail address, and in no name to sign in by."""


class Logins:
    """The names to sign in by and their players, in an account store."""

    def __init__(self, store: AccountStore) -> None:
        self.store = store

    def find(self, login: str) -> str | None:
        """The player who signs in by this; an address finds its owner, even if it is a name too.

        The store is asked for both, so that the time reveals nothing.
        """
        by_name = self.store.find_player(Index.LOGINS, fold_login(login))
        key = self.store.address_key(login.strip())
        return self.store.find_player(Index.ADDRESSES, key) or by_name

    def claim(self, player: str, login: str) -> None:
        """Let a player sign in by a name; raises NameInUse, and BadValue for an address.

        The player's account has to have the name within CLAIMING_S; after that it is free again.
        """
        folded = fold_login(login)
        if AT in folded:
            raise BadValue(
                "name",
                phrase("holds {at!r}, as e-mail addresses do: sign in by another name", at=AT),
            )
        self.store.put_once(f"{CLAIMING}{player}", folded, CLAIMING_S)
        if self.store.claim(Index.LOGINS, folded, player):
            return
        owner = self.store.find_player(Index.LOGINS, folded)
        if owner is not None and self.is_abandoned(owner, folded):
            self.store.release(Index.LOGINS, folded, owner)
        if not self.store.claim(Index.LOGINS, folded, player):
            self.settle(player)
            raise NameInUse(login)

    def is_abandoned(self, owner: str, folded: str) -> bool:
        """Whether a process died between claiming a name and having its player sign in by it."""
        if self.store.find_once(f"{CLAIMING}{owner}") == folded:
            return False
        kept = self.store.find_part(owner, LOGIN)
        return kept is None or fold_login(kept) != folded

    def release(self, player: str, login: str) -> None:
        """Stop a player from signing in by a name."""
        self.store.release(Index.LOGINS, fold_login(login), player)
        self.settle(player)

    def settle(self, player: str) -> None:
        """Forget that a name was being claimed: the player's account has it, or never will."""
        self.store.take_once(f"{CLAIMING}{player}")

    def release_unused(self, player: str, login: str) -> None:
        """Give back a claimed name, unless the player signs in by it."""
        kept = self.store.find_part(player, LOGIN)
        if kept is None or fold_login(kept) != fold_login(login):
            self.release(player, login)
