"""Who comes with a bearer token."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass

from service.log.interface import EventLog
from service.player.actor import Actor
from service.player.errors import BadToken
from service.player.state import stream_of
from service.player.tokens import field_of, id_of, read_bearer

TRUSTED = 1000
"""Milliseconds for which a token that was looked up is not looked up again.

One that is revoked is refused at once by the process that revoked it, by others within this time.
"""
MOST_SEEN = 10_000


@dataclass(frozen=True, slots=True)
class Bearer:
    """Who came with a token, and which token it was."""

    actor: Actor
    token: str


class Bearers:
    """Tells whose a token is from what is kept beside players' streams. Safe for threads."""

    def __init__(self, log: EventLog, clock: Callable[[], int]) -> None:
        self.log = log
        self.clock = clock
        self._seen: dict[tuple[str, str], tuple[Bearer, int]] = {}

    def authenticate(self, bearer: str) -> Bearer:
        """Who a bearer token is; raises BadToken, the same for every reason."""
        player, digest = read_bearer(bearer)
        now = self.clock()
        seen, until = self._seen.get((player, digest), (None, 0))
        if seen is not None and now < until <= now + TRUSTED:
            return seen
        return self._looked_up(player, digest, now)

    def forget(self) -> None:
        """Look every token up again: some may have changed."""
        self._seen.clear()

    def _looked_up(self, player: str, digest: str, now: int) -> Bearer:
        token = id_of(digest)
        stored = self.log.attributes([(stream_of(player), field_of(token))])[0]
        if stored is None:
            raise BadToken
        known = json.loads(stored)
        if not secrets.compare_digest(known["hash"], digest):
            raise BadToken
        expires = known["expires"]
        if expires is not None and now >= expires:
            raise BadToken
        if len(self._seen) >= MOST_SEEN:
            self._seen.clear()
        found = Bearer(Actor(player, frozenset(known["scopes"])), token)
        until = now + TRUSTED
        self._seen[player, digest] = (found, until if expires is None else min(until, expires))
        return found
