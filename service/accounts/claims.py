"""Claims to the keys of one index, each of which belongs to one player.

A key is claimed before the account has it. If the process dies in between, the claim is void after
a while, and the key is free again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from service.accounts.store import AccountStore, Index

CLAIMING_S: Final = 600
"""Seconds after which a claim whose player's account does not have the key is void."""


class Claims:
    """The claims to the keys of `index`; `has` is whether the account of a player has a key."""

    def __init__(self, store: AccountStore, index: Index, has: Callable[[str, str], bool]) -> None:
        self.store = store
        self.index = index
        self.has = has

    def claim(self, player: str, key: str) -> bool:
        """Claim a key, which the player's account has to have within CLAIMING_S.

        False if another player has it, or is claiming it.
        """
        self.store.put_once(self._mark(player), key, CLAIMING_S)
        if self.store.claim(self.index, key, player):
            return True
        owner = self.store.find_player(self.index, key)
        if owner is not None and self.is_abandoned(owner, key):
            self.store.release(self.index, key, owner)
        if self.store.claim(self.index, key, player):
            return True
        self.settle(player)
        return False

    def is_abandoned(self, owner: str, key: str) -> bool:
        """Whether a process died between claiming a key and having the account have it."""
        return self.store.find_once(self._mark(owner)) != key and not self.has(owner, key)

    def release(self, player: str, key: str) -> None:
        """Give up a key."""
        self.store.release(self.index, key, player)
        self.settle(player)

    def settle(self, player: str) -> None:
        """Forget that a key was being claimed: the player's account has it, or never will."""
        self.store.take_once(self._mark(player))

    def _mark(self, player: str) -> str:
        """What notes that a player is claiming a key."""
        return f"claiming-{self.index}:{player}"
