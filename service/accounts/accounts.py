"""Registering, playing as a guest, signing in with a password, and changing how one signs in."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from service.accounts.account import (
    ADDRESS,
    IDENTITY,
    LOGIN,
    PASSKEY,
    PASSWORD,
    PENDING,
    Account,
    Way,
    fold_login,
)
from service.accounts.addresses import Addresses
from service.accounts.errors import (
    LastWayIn,
    LesserSession,
    NameInUse,
    SignInRefused,
    StaleSession,
)
from service.accounts.guesses import Guesses
from service.accounts.identities import Identities
from service.accounts.links import Link, Links, Purpose
from service.accounts.passkeys import Passkeys
from service.accounts.passwords import Passwords, check_password
from service.accounts.sessions import Sessions
from service.accounts.store import AccountStore, Index
from service.errors import MissingScope, NotFound
from service.ids import new_id
from service.player.authentication import Bearer
from service.player.commands import Principal
from service.player.granting import check_scopes
from service.player.names.name_policy import chosen_name
from service.player.repository import Players
from service.player.state import KIND, PlayerState, Token

FRESH: Final = 30 * 60 * 1000
"""Milliseconds for which whoever has just signed in may change how they do without a password."""
GUEST: Final = "Guest"
ANIMALS: Final = (
    *("Badger", "Beaver", "Bison", "Crane", "Curlew", "Dolphin", "Falcon", "Ferret", "Finch"),
    *("Fox", "Gecko", "Heron", "Ibex", "Jay", "Kestrel", "Lynx", "Marten", "Newt", "Otter", "Owl"),
    *("Puffin", "Quail", "Raven", "Robin", "Seal", "Stork", "Swift", "Tern", "Vole", "Wren"),
)
"""What guests are called who give no name."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who comes with a form: the network address, and what the browser is and has kept."""

    address: str
    browser: str
    device: str | None = None


class Accounts:
    """How the players of a service sign in, but with tokens."""

    def __init__(
        self,
        store: AccountStore,
        players: Players,
        sessions: Sessions,
        guesses: Guesses,
        passwords: Passwords,
        links: Links,
        addresses: Addresses,
        passkeys: Passkeys,
        identities: Identities,
        clock: Callable[[], int],
    ) -> None:
        self.store = store
        self.players = players
        self.sessions = sessions
        self.guesses = guesses
        self.passwords = passwords
        self.links = links
        self.addresses = addresses
        self.passkeys = passkeys
        self.identities = identities
        self.clock = clock

    def register(self, name: str, password: str, visitor: Visitor) -> str:
        """Register a player who signs in by name and password; returns the id.

        Raises BadValue, WeakPassword, NameInUse and TooBusy; then nobody is registered.
        """
        name, id = chosen_name(name), new_id()
        check_password(password, name)
        self._claim_login(id, name)
        try:
            hash = self.passwords.hash(password, visitor.address)
            self.players.register_person(id, name)
        except BaseException:
            self.store.release(Index.LOGINS, fold_login(name), id)
            raise
        self._put_password(id, name, hash)
        return id

    def register_guest(self, name: str) -> str:
        """Register a player who has nothing to sign in with yet; returns the id. Raises BadValue.

        Who gives no name is called after an animal.
        """
        animal = f"{GUEST} {secrets.choice(ANIMALS)} {secrets.randbelow(900) + 100}"
        id = new_id()
        self.players.register_person(id, name or animal)
        return id

    def is_guest(self, player: str) -> bool:
        """Whether a player has only the session of a browser."""
        return self.store.load(player).ways == 0 and not self._good_tokens(player)

    def keep_guest(self, player: str, name: str, password: str, visitor: Visitor) -> None:
        """Let a guest sign in by name and password from now on; raises as `register` does."""
        name = chosen_name(name)
        self.choose_password(player, name, password, visitor)
        if self.players.names([player])[player] != name:
            self.players.rename(player, name, player)

    def sign_in(self, login: str, password: str, visitor: Visitor) -> str:
        """Who signs in by a name, or a confirmed e-mail address, and a password; the player's id.

        Raises SignInRefused, the same and after the same time for every reason; TooManyTries and
        TooBusy.
        """
        player = self._find_by_login(login)
        admission = self.guesses.admit(fold_login(login), visitor.address, player, visitor.device)
        hash = None if player is None else self.store.find_part(player, PASSWORD)
        if not self.passwords.matches(hash, password, visitor.address):
            raise SignInRefused
        assert player is not None
        assert hash is not None
        self.check_living(player)
        self.guesses.forgive(admission)
        if self.passwords.is_outdated(hash):
            renewed = self.passwords.hash(password, visitor.address)
            self.store.replace_part(player, PASSWORD, renewed)
        return player

    def make_recovery_link(self, player: str) -> str:
        """The last part of a link by which a player signs in once; raises NotFound."""
        if self.players.load(player).erased:
            raise NotFound(KIND, player)
        return self.links.write(self.links.make(Link(Purpose.RECOVER, player)))

    def begin_session(
        self, player: str, way: Way, visitor: Visitor, token: str | None = None
    ) -> str:
        """Sign a player in; returns what the browser's cookie holds. Raises SignInRefused."""
        self.check_living(player)
        return self.sessions.begin(player, way, visitor.browser, token)

    def end_sessions(self, player: str, *ids: str) -> None:
        """End sessions of a player, at once in this process."""
        self.sessions.end(player, *ids)
        self.players.bearers.forget()

    def end_other_sessions(self, bearer: Bearer) -> None:
        """End all sessions of a player but the one that asks for it."""
        player = bearer.actor.player
        known = self.store.load(player).sessions
        self.end_sessions(player, *(one.id for one in known if one.id != bearer.session))

    def check_may_change(self, bearer: Bearer, password: str | None, visitor: Visitor) -> None:
        """Raise unless the bearer may change how their player signs in.

        Raises LesserSession where it has fewer rights than the player, or for a shorter time;
        StaleSession where it has not just been begun and there is no `password`; SignInRefused and
        TooManyTries for a wrong one.
        """
        player = bearer.actor.player
        self._check_covers(bearer)
        account = self.store.load(player)
        session = None if bearer.session is None else self.sessions.find(player, bearer.session)
        if account.ways == 0 or (session and self.clock() < session.begun_at + FRESH):
            return
        if not password or account.login is None or account.password is None:
            raise StaleSession
        if self.sign_in(account.login, password, visitor) != player:
            raise SignInRefused

    def choose_password(self, player: str, login: str, password: str, visitor: Visitor) -> None:
        """Let a player sign in by this name and password, and no longer by another.

        Raises BadValue, WeakPassword, NameInUse and TooBusy.
        """
        login = chosen_name(login)
        check_password(password, login)
        old = self.store.load(player).login
        hash = self.passwords.hash(password, visitor.address)
        self._claim_login(player, login)
        self._put_password(player, login, hash)
        if old is not None and fold_login(old) != fold_login(login):
            self.store.release(Index.LOGINS, fold_login(old), player)

    def remove_password(self, player: str) -> None:
        """Let a player sign in by name and password no more; raises LastWayIn."""
        account = self.store.load(player)
        self._check_not_last(account, account.password is not None)
        if account.login is not None:
            self.store.release(Index.LOGINS, fold_login(account.login), player)
        self.store.remove_parts(player, LOGIN, PASSWORD)

    def remove_address(self, player: str) -> None:
        """Let a player sign in by e-mail no more; raises LastWayIn."""
        account = self.store.load(player)
        self.store.remove_parts(player, PENDING)
        if account.address is None:
            return
        self._check_not_last(account, True)
        key = self.store.address_key(account.address.address)
        self.store.release(Index.ADDRESSES, key, player)
        self.store.remove_parts(player, ADDRESS)

    def remove_passkey(self, player: str, id: str) -> None:
        """Let a player sign in with a passkey no more; raises LastWayIn."""
        account = self.store.load(player)
        if any(one.id == id for one in account.passkeys):
            self._check_not_last(account, True)
            self.store.remove_parts(player, f"{PASSKEY}{id}")

    def remove_identity(self, player: str, key: str) -> None:
        """Let a player sign in by another service no more; raises LastWayIn.

        `key` is that of the identity (`AccountStore.identity_key`).
        """
        account = self.store.load(player)
        known = {self.store.identity_key(one.issuer, one.subject) for one in account.identities}
        if key in known:
            self._check_not_last(account, True)
            self.store.release(Index.IDENTITIES, key, player)
            self.store.remove_parts(player, f"{IDENTITY}{key}")

    def erase(self, player: str) -> None:
        """Forget all that a player signs in with, and end their sessions."""
        self.store.erase(player)
        self.players.bearers.forget()

    def check_living(self, player: str) -> None:
        """Raise SignInRefused for a player who was erased."""
        state = self.players.find(player)
        if state is None or state.erased:
            raise SignInRefused

    def find_principal(self, bearer: Bearer, state: PlayerState) -> Principal:
        """What bounds a session that was begun without a token: the player's own rights."""
        scopes = tuple(sorted(bearer.actor.scopes))
        return Principal(state.id, Token("", scopes, self.clock()))

    def _find_by_login(self, login: str) -> str | None:
        player = self.store.find_player(Index.LOGINS, fold_login(login))
        if player is None and "@" in login:
            key = self.store.address_key(login.strip())
            player = self.store.find_player(Index.ADDRESSES, key)
        return player

    def _claim_login(self, player: str, login: str) -> None:
        if not self.store.claim(Index.LOGINS, fold_login(login), player):
            raise NameInUse(login)

    def _put_password(self, player: str, login: str, hash: str) -> None:
        self.store.put_part(player, LOGIN, login)
        self.store.put_part(player, PASSWORD, hash)

    def _good_tokens(self, player: str) -> list[Token]:
        now = self.clock()
        return [token for token in self.players.load(player).tokens.values() if token.is_good(now)]

    def _check_covers(self, bearer: Bearer) -> None:
        """Raise LesserSession where a bearer may do less than their player, or for less long."""
        good = {token.id: token for token in self._good_tokens(bearer.actor.player)}
        if bearer.token is None:
            return
        own = good.get(bearer.token)
        if own is None or own.expires is not None:
            raise LesserSession
        for token in good.values():
            try:
                check_scopes(own, token.scopes)
            except MissingScope:
                raise LesserSession from None

    def _check_not_last(self, account: Account, removes: bool) -> None:
        """Raise LastWayIn where a way in is removed and none would be left."""
        if removes and account.ways == 1 and not self._good_tokens(account.player):
            raise LastWayIn
