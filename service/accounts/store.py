"""Accounts in Redis, beside the log: unlike events, they can be erased.

movelog:{accounts}:player:<id>     hash: the parts of an account (`service.accounts.account`)
movelog:{accounts}:logins          hash: folded name → player who signs in by it
movelog:{accounts}:addresses       hash: digest of a confirmed address → player
movelog:{accounts}:identities      hash: digest of issuer and subject → player
movelog:{accounts}:guests          sorted set: guests by when they came, or were here last
movelog:{accounts}:once:<what>     what is good for one use, such as a challenge, until it expires
movelog:{accounts}:tries:<whose>   how often passwords were tried
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, Final

import redis

from service.accounts.account import (
    Account,
    Way,
    fold_login,
    read_account,
)
from service.ids import keyed_digest
from service.mail.subscription import digest_address

PREFIX: Final = "movelog:{accounts}:"
PLAYER: Final = f"{PREFIX}player:"
GUESTS: Final = f"{PREFIX}guests"
ONCE: Final = f"{PREFIX}once:"

REPLACE: Final = """
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return 1
"""
"""Changes a part that exists: one that was removed meanwhile stays removed."""
RELEASE: Final = """
if redis.call('HGET', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('HDEL', KEYS[1], ARGV[1]) end
"""
"""Removes a key from an index if it belongs to this player."""


class Index(StrEnum):
    """The keys by which players are found."""

    LOGINS = "logins"
    ADDRESSES = "addresses"
    IDENTITIES = "identities"


class AccountStore:
    """The parts of accounts, and the keys that only one player can have."""

    def __init__(self, store: redis.Redis, secret: bytes) -> None:
        self.store = store
        self.secret = secret

    def load(self, player: str) -> Account:
        """A player's account; empty if the player has none."""
        return read_account(player, self._parts(player))

    def find_part(self, player: str, name: str) -> str | None:
        """One part of an account."""
        found: Any = self.store.hget(f"{PLAYER}{player}", name)
        return None if found is None else str(found.decode())

    def put_part(self, player: str, name: str, value: str) -> None:
        """Set one part of an account."""
        self.store.hset(f"{PLAYER}{player}", name, value)

    def put_first(self, player: str, name: str, value: str) -> bool:
        """Set one part of an account unless it exists; returns whether it was set."""
        return bool(self.store.hsetnx(f"{PLAYER}{player}", name, value))

    def replace_part(self, player: str, name: str, value: str) -> None:
        """Set one part of an account if it exists."""
        self.store.eval(REPLACE, 1, f"{PLAYER}{player}", name, value)

    def remove_parts(self, player: str, *names: str) -> int:
        """Remove parts of an account; returns how many were there."""
        removed: Any = self.store.hdel(f"{PLAYER}{player}", *names) if names else 0
        return int(removed)

    def find_player(self, index: Index, key: str) -> str | None:
        """The player who has this key."""
        found: Any = self.store.hget(f"{PREFIX}{index}", key)
        return None if found is None else str(found.decode())

    def claim(self, index: Index, key: str, player: str) -> bool:
        """Give a player a key; returns whether they have it now and nobody else had it."""
        self.store.hsetnx(f"{PREFIX}{index}", key, player)
        return self.find_player(index, key) == player

    def release(self, index: Index, key: str, player: str) -> None:
        """Take a key away from a player."""
        self.store.eval(RELEASE, 1, f"{PREFIX}{index}", key, player)

    def put_once(self, what: str, value: str, seconds: int) -> None:
        """Keep a value for one use within `seconds` seconds."""
        self.store.set(f"{ONCE}{what}", value, ex=seconds)

    def take_once(self, what: str) -> str | None:
        """The value kept for one use, or None if it was already taken."""
        found: Any = self.store.getdel(f"{ONCE}{what}")
        return None if found is None else str(found.decode())

    def find_once(self, what: str) -> str | None:
        """The value kept for one use, without using it."""
        found: Any = self.store.get(f"{ONCE}{what}")
        return None if found is None else str(found.decode())

    def note_guest(self, player: str, at: int) -> None:
        """Note when a guest came or was last here, in milliseconds since 1970 UTC."""
        self.store.zadd(GUESTS, {player: at})

    def list_guests(self, until: int, most: int) -> list[str]:
        """At most `most` guests noted until `until`, the earliest first."""
        found: Any = self.store.zrangebyscore(GUESTS, "-inf", until, start=0, num=most)
        return [player.decode() for player in found]

    def forget_guest(self, player: str) -> None:
        """Remove a player from the guests."""
        self.store.zrem(GUESTS, player)

    def erase(self, player: str) -> None:
        """Remove all of a player's account."""
        self.forget_guest(player)
        for index, key in self._keys(self.load(player)):
            self.release(index, key, player)
        self.store.delete(f"{PLAYER}{player}")

    def address_key(self, address: str) -> str:
        """The key of an e-mail address in its index."""
        return digest_address(self.secret, address)

    def identity_key(self, issuer: str, subject: str) -> str:
        """The key of an identity in its index, and of the part that holds it."""
        return keyed_digest(self.secret, "identity", issuer, subject)[:32]

    def _parts(self, player: str) -> dict[str, str]:
        found: Any = self.store.hgetall(f"{PLAYER}{player}")
        return {name.decode(): value.decode() for name, value in found.items()}

    def _keys(self, account: Account) -> Iterator[tuple[Index, str]]:
        """The keys by which a player is found."""
        if account.login is not None:
            yield Index.LOGINS, fold_login(account.login)
        if account.address is not None:
            yield Index.ADDRESSES, self.address_key(account.address.address)
        for one in account.identities:
            yield Index.IDENTITIES, self.identity_key(one.issuer, one.subject)

    def export(self) -> Iterator[tuple[str, dict[str, str]]]:
        """Yield each player who has an account, with its parts."""
        for key in sorted(self.store.scan_iter(match=f"{PLAYER}*", count=1000)):
            player = key.decode().removeprefix(PLAYER)
            if parts := self._parts(player):
                yield player, parts

    def restore(self, player: str, parts: Mapping[str, str]) -> None:
        """Put an exported account back, with the keys by which its player is found."""
        self.store.delete(f"{PLAYER}{player}")
        values: dict[Any, Any] = dict(parts)
        self.store.hset(f"{PLAYER}{player}", mapping=values)
        account = read_account(player, parts)
        for index, key in self._keys(account):
            self.store.hset(f"{PREFIX}{index}", key, player)
        if not account.ways and any(one.way == Way.GUEST for one in account.sessions):
            self.note_guest(player, max(one.used_at for one in account.sessions))
