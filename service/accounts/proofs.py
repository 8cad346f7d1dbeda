"""Whether a session's player has proved lately who they are, and what the session may change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from service.accounts.errors import LesserSession, SignInRefused, StaleSession
from service.accounts.sessions import Sessions
from service.accounts.store import AccountStore
from service.accounts.visitor import Visitor
from service.errors import MissingScope
from service.player.authentication import Bearer
from service.player.granting import Grant, check_scopes
from service.player.repository import Players
from service.player.state import Token

FRESH: Final = 30 * 60 * 1000
"""Milliseconds for which whoever has proved who they are need not do so again."""


SignIn = Callable[[str, str, Visitor], str]
"""Who signs in by a name and a password (`Accounts.sign_in`)."""


class Proofs:
    """Judges sessions before they change how their players sign in, or give tokens."""

    def __init__(
        self,
        store: AccountStore,
        players: Players,
        sessions: Sessions,
        sign_in: SignIn,
        clock: Callable[[], int],
    ) -> None:
        self.store = store
        self.players = players
        self.sessions = sessions
        self.sign_in = sign_in
        self.clock = clock

    def is_guest(self, player: str) -> bool:
        """Whether a player has only the session of a browser."""
        return self.store.load(player).ways == 0 and not self.list_good_tokens(player)

    def list_good_tokens(self, player: str) -> list[Token]:
        """The tokens of a player that have not expired."""
        now = self.clock()
        return [token for token in self.players.load(player).tokens.values() if token.is_good(now)]

    def check_may_change(self, bearer: Bearer, password: str | None, visitor: Visitor) -> None:
        """Raise unless the bearer may change how their player signs in.

        Raises LesserSession where it has fewer rights than the player, or for a shorter time, and
        what `prove` raises.
        """
        self.check_covers(bearer)
        self.prove(bearer, password, visitor)

    def prove(self, bearer: Bearer, password: str | None, visitor: Visitor) -> None:
        """Have the bearer prove anew who they are, unless they have done so in the last while.

        Raises StaleSession where they have not and there is no `password`; SignInRefused and
        TooManyTries for a wrong one.
        """
        player = bearer.actor.player
        if bearer.session is not None and self._is_fresh(bearer):
            return
        account = self.store.load(player)
        if not password or account.login is None or account.password is None:
            raise StaleSession
        if self.sign_in(account.login, password, visitor) != player:
            raise SignInRefused
        if bearer.session is not None:
            self.sessions.note_proof(player, bearer.session)

    def check_fresh(self, bearer: Bearer) -> None:
        """Raise StaleSession for a session whose player has not proved lately who they are.

        Programs come with a token each time; a browser may be anybody's by now.
        """
        if bearer.session is not None and not self._is_fresh(bearer):
            raise StaleSession

    def _is_fresh(self, bearer: Bearer) -> bool:
        """Whether a session was begun or proved lately, or is all that its player, a guest, has."""
        player = bearer.actor.player
        session = None if bearer.session is None else self.sessions.find(player, bearer.session)
        if session is not None and self.clock() < session.last_proof + FRESH:
            return True
        return bearer.guest and self.is_guest(player)

    def check_covers(self, bearer: Bearer) -> None:
        """Raise LesserSession where a bearer may do less than their player, or for less long."""
        good = {token.id: token for token in self.list_good_tokens(bearer.actor.player)}
        if bearer.token is None:
            return
        own = good.get(bearer.token)
        if own is None or own.expires is not None:
            raise LesserSession
        for token in good.values():
            try:
                check_scopes(Grant.from_token(own), token.scopes)
            except MissingScope:
                raise LesserSession from None
