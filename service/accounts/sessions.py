"""Sessions: who is signed in, in which browser. Their secrets are only in cookies.

A session has the rights of its player: `play`, and what the player's valid tokens allow. A session
that was begun with a token has that token's rights, and ends with it.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from service.accounts.account import SESSION, Session, Way
from service.accounts.store import AccountStore
from service.player.actor import Actor
from service.player.authentication import Bearer
from service.player.errors import BadToken
from service.player.scopes import PLAY
from service.player.state import PlayerState, Token
from service.player.tokens import digest_of, fresh_secret, id_of, session_bearer

DAY: Final = 24 * 3600 * 1000
LASTS: Final = 180 * DAY
"""Milliseconds after which an unused session ends."""
NOTED: Final = 3600 * 1000
"""The least milliseconds between two notes that a session is used."""
MOST: Final = 50
"""The most sessions of one player that were begun without a token."""
MOST_OF_TOKEN: Final = 10
"""The most sessions that were begun with one token."""


class Sessions:
    """The sessions in an account store.

    `find_player` gives a player's newest state, None if there is no such player; `clock` gives
    milliseconds since 1970 UTC.
    """

    def __init__(
        self,
        store: AccountStore,
        find_player: Callable[[str], PlayerState | None],
        clock: Callable[[], int],
    ) -> None:
        self.store = store
        self.find_player = find_player
        self.clock = clock

    def begin(self, player: str, way: Way, browser: str, token: str | None = None) -> str:
        """Begin a session; returns the value of the browser's cookie.

        One too many ends the one used longest ago among those begun with the same token, or without
        any: nobody who has a token can end more than they could by revoking it.
        """
        secret, now = fresh_secret(), self.clock()
        digest = digest_of(secret)
        session = Session(id_of(digest), digest, way, browser[:100], now, now, token)
        self._make_room(player, token)
        self.store.put_part(player, f"{SESSION}{session.id}", session.to_json())
        return session_bearer(player, secret)

    def find(self, player: str, id: str) -> Session | None:
        """A session that has not lapsed."""
        text = self.store.find_part(player, f"{SESSION}{id}")
        session = None if text is None else Session.from_json(text)
        return None if session is None or self._has_lapsed(session) else session

    def list_current(self, player: str) -> list[Session]:
        """The sessions of a player, the most recently used one first."""
        current = [one for one in self.store.load(player).sessions if not self._has_lapsed(one)]
        return sorted(current, key=lambda one: -one.used_at)

    def end(self, player: str, *ids: str) -> None:
        """End these sessions of a player; the caller has to notify the bearers."""
        self.store.remove_parts(player, *(f"{SESSION}{id}" for id in ids))

    def note_proof(self, player: str, id: str) -> None:
        """Note that the player of a session has proved their identity again."""
        session = self.find(player, id)
        if session is not None:
            proved = replace(session, proved_at=self.clock())
            self.store.replace_part(player, f"{SESSION}{id}", proved.to_json())

    def authenticate(self, player: str, digest: str) -> tuple[Bearer, int]:
        """The bearer of a session, and until when that is certain; raises BadToken."""
        now, session = self.clock(), self.find(player, id_of(digest))
        if session is None or not secrets.compare_digest(session.hash, digest):
            raise BadToken
        state = self.find_player(player)
        if state is None or state.erased:
            raise BadToken
        scopes, until = self._find_rights(session, state, now)
        if now >= session.used_at + NOTED:
            used = replace(session, used_at=now)
            self.store.replace_part(player, f"{SESSION}{session.id}", used.to_json())
        # A person who came as a guest remains one as long as they have no other way to sign in.
        guest = session.way == Way.GUEST and not self.store.load(player).ways
        return Bearer(Actor(player, scopes), session.token, session.id, guest), until

    def _find_rights(
        self, session: Session, state: PlayerState, now: int
    ) -> tuple[frozenset[str], int]:
        """The rights of a session, and until when they are certain; raises BadToken."""
        good = _find_good_tokens(state, now)
        lapses = session.used_at + LASTS
        if session.token is None:
            used = list(good.values())
            scopes = frozenset(scope for token in used for scope in token.scopes) | {PLAY}
        else:
            if session.token not in good:
                raise BadToken
            used = [good[session.token]]
            scopes = frozenset(used[0].scopes)
        ends = [token.expires for token in used if token.expires is not None]
        return scopes, min([lapses, *ends])

    def _has_lapsed(self, session: Session) -> bool:
        return self.clock() >= session.used_at + LASTS

    def _make_room(self, player: str, token: str | None) -> None:
        """End the sessions that are no longer valid, and make room for one begun with `token`."""
        known = sorted(self.store.load(player).sessions, key=lambda one: -one.used_at)
        state = self.find_player(player)
        good = {} if state is None else _find_good_tokens(state, self.clock())
        usable = {None, *good}
        valid = [one for one in known if one.token in usable and not self._has_lapsed(one)]
        most = MOST if token is None else MOST_OF_TOKEN
        replaced = [one for one in valid if one.token == token][most - 1 :]
        self.end(player, *(one.id for one in known if one not in valid or one in replaced))


def _find_good_tokens(state: PlayerState, now: int) -> dict[str, Token]:
    """The valid tokens of a player, by id."""
    return {token.id: token for token in state.tokens.values() if token.is_good(now)}
