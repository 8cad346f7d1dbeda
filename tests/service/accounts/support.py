"""Accounts on a store, with a clock that tests set and password hashes that are cheap."""

from __future__ import annotations

from threading import Lock

import redis
from argon2 import PasswordHasher

from service.accounts.accounts import Accounts
from service.accounts.addresses import Addresses
from service.accounts.guesses import Guesses
from service.accounts.identities import Identities
from service.accounts.links import Links
from service.accounts.passkeys import Passkeys
from service.accounts.passwords import Passwords
from service.accounts.sessions import Sessions
from service.accounts.store import AccountStore
from service.accounts.visitor import Visitor
from service.composition.service import CODEC
from service.log.redis import RedisEventLog
from service.player.admins import Admins
from service.player.authentication import Bearers
from service.player.repository import Players
from tests.service.player.support import SECRET, Clock

HOME = Visitor("192.0.2.1", "Firefox on Linux")
ELSEWHERE = Visitor("192.0.2.66", "Chrome on Windows")
GOOD = "correct horse battery"
CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


class Parts:
    """Accounts and their parts; `slept` collects the delays imposed on guesses, in seconds."""

    def __init__(self, client: redis.Redis) -> None:
        self.clock = Clock()
        self.slept: list[float] = []
        log = RedisEventLog(client, CODEC)
        self.store = AccountStore(client, SECRET)
        self.sessions = Sessions(self.store, lambda id: self.players.find(id), self.clock)
        self.bearers = Bearers(log, self.clock, self.sessions.authenticate)
        alone = Lock()
        admins = Admins(log, self.clock, lambda: alone)
        self.players = Players(log, self.clock, SECRET, self.bearers, admins)
        guesses = Guesses(client, SECRET, self.slept.append)
        self.sent: list[tuple[str, str | None]] = []
        self.links = Links(self.store, SECRET)
        self.addresses = Addresses(
            self.store, self.links, guesses, self.clock, self.note_sent, enabled=True
        )
        self.accounts = Accounts(
            self.store,
            self.players,
            self.sessions,
            guesses,
            Passwords(CHEAP),
            self.links,
            self.addresses,
            Passkeys(self.store, self.clock),
            Identities(self.store, SECRET, self.clock, None),
            self.clock,
        )

    def note_sent(self, number: str, player: str | None) -> None:
        """Send nothing; note which link would have been sent."""
        self.sent.append((number, player))
