"""Whether a session's player has recently proved their identity, and what it may change."""

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
"""Milliseconds for which players who have proved their identity need not do so again."""


SignIn = Callable[[str, str, Visitor], str]
"""Signs a player in with a name and a password (`Accounts.sign_in`); returns the id."""


class Proofs:
    """Checks sessions before they change their players' credentials, or give tokens."""

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
        """Raise unless the bearer may change the credentials of their player.

        Raises LesserSession if the bearer has fewer rights than the player, or has them for a
        shorter time, and the errors of `prove`.
        """
        self.check_covers(bearer)
        self.prove(bearer, password, visitor)

    def prove(self, bearer: Bearer, password: str | None, visitor: Visitor) -> None:
        """Have the bearer prove their identity again, unless they have done so recently.

        Raises StaleSession if they have not and there is no `password`; SignInRefused and
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
        """Raise StaleSession for a session whose player has not recently proved their identity.

        Programs send a token each time; a browser may be in anybody's hands by now.
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
        """Raise LesserSession if a bearer may do less than their player, or for a shorter time."""
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
