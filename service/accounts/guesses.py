"""How often a password may be tried, without locking anybody out of their own account.

Tries are counted by address, and by address and name. A name alone is never locked: if very many
wrong passwords come in for it, from everywhere, a person in an unknown browser waits some seconds
for the answer. A browser that has signed in to the account before is counted separately, so that
the account's owner can go on whatever others try, even from the same address (OWASP, "device
cookies").
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import redis

from service.accounts.errors import TooManyTries
from service.accounts.store import PREFIX
from service.ids import keyed_digest

TRIES: Final = f"{PREFIX}tries:"
WINDOW_S: Final = 900
"""The seconds over which tries are counted together."""
MOST_OF_ADDRESS: Final = 50
MOST_FOR_NAME: Final = 10
"""Tries of one address for one name, and tries of one browser that is known for the name."""
MOST_BEGUN: Final = 300
"""Registrations, new passwords, and other kinds of sign-in that one address begins."""
FREE_FOR_NAME: Final = 30
"""Tries for one name, from everywhere, before answers become slow."""
LONGEST_DELAY_S: Final = 4.0


@dataclass(frozen=True, slots=True)
class Admission:
    """A try that may be made, after `delay` seconds; `keys` are what it was counted for."""

    delay: float
    keys: tuple[str, ...]


class Guesses:
    """Counts the tries; `sleep` waits for a number of seconds."""

    def __init__(self, store: redis.Redis, secret: bytes, sleep: Callable[[float], None]) -> None:
        self.store = store
        self.secret = secret
        self.sleep = sleep

    def make_device(self, player: str) -> str:
        """The value kept by a browser that has signed in as this player."""
        nonce = secrets.token_hex(16)
        return f"{nonce}.{self._sign(player, nonce)}"

    def knows_device(self, player: str | None, device: str | None) -> bool:
        """Whether this browser has signed in as this player before."""
        nonce, _, signature = (device or "").partition(".")
        own = self._sign(player or "", nonce)
        return secrets.compare_digest(own.encode(), signature.encode()) and player is not None

    def admit(self, name: str, address: str, player: str | None, device: str | None) -> Admission:
        """Count a try, and wait if it must wait; raises TooManyTries.

        `name` is the name used to sign in, `player` the player it belongs to, if any.
        """
        if self.knows_device(player, device):
            key = self._key("device", player or "", device or "")
            if self._count(key)[0] <= MOST_FOR_NAME:
                return Admission(0.0, (key,))
        keys = (
            self._key("address", address),
            self._key("address and name", address, name),
            self._key("name", name),
        )
        # Once no more tries are accepted, nothing is stored for the names that are tried.
        for key, most in zip(keys, (MOST_OF_ADDRESS, MOST_FOR_NAME), strict=False):
            count, wait = self._count(key)
            if count > most:
                raise TooManyTries(wait)
        all_for_name, _ = self._count(keys[-1])
        delay = min(LONGEST_DELAY_S, max(0, all_for_name - FREE_FOR_NAME) / 10)
        if delay:
            self.sleep(delay)
        return Admission(delay, keys)

    def begin(self, address: str) -> None:
        """Count what one address begins: registrations, new passwords, sign-ins with passkeys.

        Raises TooManyTries for so many that they would fill the store, or keep other people's
        passwords from being hashed.
        """
        begun, wait = self.count("begun", address)
        if begun > MOST_BEGUN:
            raise TooManyTries(wait)

    def forgive(self, admission: Admission) -> None:
        """Take back the count of a try: the password was right."""
        pipeline = self.store.pipeline(transaction=False)
        for key in admission.keys:
            pipeline.set(key, 0, ex=WINDOW_S, nx=True)
            pipeline.decr(key)
        pipeline.execute()

    def count(self, *whose: str, seconds: int = WINDOW_S) -> tuple[int, int]:
        """How often this was requested, with this time, and for how many seconds that counts.

        Requests are counted together over `seconds`, beginning with the first one.
        """
        return self._count(self._key(*whose), seconds)

    def read(self, *whose: str) -> tuple[int, int]:
        """How often `count` was called for this, and for how many seconds that counts."""
        pipeline = self.store.pipeline()
        pipeline.get(key := self._key(*whose))
        pipeline.ttl(key)
        answers: list[Any] = pipeline.execute()
        return int(answers[0] or 0), max(1, int(answers[1]))

    def _count(self, key: str, seconds: int = WINDOW_S) -> tuple[int, int]:
        """How often this was counted, with this time, and for how many seconds it is remembered."""
        pipeline = self.store.pipeline()
        pipeline.set(key, 0, ex=seconds, nx=True)
        pipeline.incr(key)
        pipeline.ttl(key)
        answers: list[Any] = pipeline.execute()
        return int(answers[1]), max(1, int(answers[2]))

    def _key(self, *whose: str) -> str:
        return f"{TRIES}{keyed_digest(self.secret, *whose)[:32]}"

    def _sign(self, player: str, nonce: str) -> str:
        return keyed_digest(self.secret, "device", player, nonce)
