"""Authenticates bearer tokens."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass

from service.log.interface import EventLog
from service.player.actor import Actor
from service.player.errors import BadToken
from service.player.state import stream_of
from service.player.tokens import field_of, id_of, is_session, read_bearer

TRUSTED = 1000
"""Milliseconds for which a token that was looked up is not looked up again.

A revoked token is refused at once by the process that revoked it, by others within this time.
"""
MOST_SEEN = 10_000


@dataclass(frozen=True, slots=True)
class Bearer:
    """The player with a token, and which token it is.

    A browser's `session` has the id of the token it was begun with, None without one. A `guest` has
    nothing but the session.
    """

    actor: Actor
    token: str | None
    session: str | None = None
    guest: bool = False


FindSession = Callable[[str, str], tuple[Bearer, int]]
"""Finds the bearer of a session by the player and the secret's digest, and until when that is
certain, in milliseconds since 1970; raises BadToken."""


def refuse_session(player: str, digest: str) -> tuple[Bearer, int]:
    """Refuse every session; raises BadToken."""
    raise BadToken


class Bearers:
    """Finds whose a token is from what is kept beside players' streams. Thread-safe.

    `find_session` finds whose a session is.
    """

    def __init__(
        self,
        log: EventLog,
        clock: Callable[[], int],
        find_session: FindSession = refuse_session,
    ) -> None:
        self.log = log
        self.clock = clock
        self.find_session = find_session
        self._seen: dict[tuple[bool, str, str], tuple[Bearer, int]] = {}

    def authenticate(self, bearer: str) -> Bearer:
        """The bearer of a token; raises BadToken, the same for every reason."""
        player, digest = read_bearer(bearer)
        now, key = self.clock(), (is_session(bearer), player, digest)
        seen, until = self._seen.get(key, (None, 0))
        if seen is not None and now < until <= now + TRUSTED:
            return seen
        find = self.find_session if is_session(bearer) else self._find_token
        found, expires = find(player, digest)
        if len(self._seen) >= MOST_SEEN:
            self._seen.clear()
        self._seen[key] = (found, min(now + TRUSTED, expires))
        return found

    def forget(self) -> None:
        """Look up every token again, since some may have changed."""
        self._seen.clear()

    def _find_token(self, player: str, digest: str) -> tuple[Bearer, int]:
        """The bearer of a token, and until when that is certain; raises BadToken."""
        token, now = id_of(digest), self.clock()
        stored = self.log.attributes([(stream_of(player), field_of(token))])[0]
        if stored is None:
            raise BadToken
        known = json.loads(stored)
        if not secrets.compare_digest(known["hash"], digest):
            raise BadToken
        expires = known["expires"]
        if expires is not None and now >= expires:
            raise BadToken
        found = Bearer(Actor(player, frozenset(known["scopes"])), token)
        return found, now + TRUSTED if expires is None else expires
