"""Registering, playing as a guest, signing in with a password, and changing one's credentials."""

from __future__ import annotations

from collections.abc import Callable
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
    SignInRefused,
    StaleSession,
)
from service.accounts.guesses import Guesses
from service.accounts.guest_names import choose_guest_name
from service.accounts.identities import Identities
from service.accounts.links import Link, Links, Purpose
from service.accounts.logins import Logins
from service.accounts.passkeys import Passkeys
from service.accounts.passwords import Passwords, check_password
from service.accounts.proofs import Proofs
from service.accounts.sessions import Sessions
from service.accounts.store import AccountStore, Index
from service.accounts.visitor import Visitor
from service.errors import NotFound
from service.ids import new_id
from service.player.authentication import Bearer
from service.player.commands import Principal
from service.player.granting import Grant, check_lasts
from service.player.names.name_policy import chosen_name
from service.player.repository import Players
from service.player.scopes import ADMIN, PLAY
from service.player.state import KIND, PlayerState

NOBODY: Final = ""
"""The player looked up if nobody has a name, so that it takes as long as for a known name."""


class Accounts:
    """How the players of a service sign in, except with tokens."""

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
        self.logins = Logins(store)
        self.proofs = Proofs(store, players, sessions, self.sign_in, clock)

    def register(self, name: str, password: str, visitor: Visitor) -> str:
        """Register a player who signs in by name and password; returns the id.

        Raises BadValue, WeakPassword, NameInUse and TooBusy; nobody is registered then.
        """
        name, id = chosen_name(name), new_id()
        check_password(password, name)
        self.logins.claim(id, name)
        try:
            hash = self._hash_new(password, visitor)
            self.players.register_person(id, name)
        except BaseException:
            self.logins.release(id, name)
            raise
        self._put_password(id, name, hash)
        return id

    def register_identity(self, name: str, browser: str) -> str:
        """Register the person who has returned to this browser from the provider; returns the id.

        Raises BadValue, IdentityRefused and IdentityInUse; nobody is registered then. A form that
        is sent several times registers one player.
        """
        name, id = chosen_name(name), new_id()
        self.identities.connect(id, browser, lambda: self.players.register_person(id, name))
        return id

    def register_guest(self, name: str) -> str:
        """Register a player who has no credentials yet; returns the id. Raises BadValue.

        A guest who gives no name is named after an animal.
        """
        id = new_id()
        self.players.register_person(id, name or choose_guest_name())
        self.store.note_guest(id, self.clock())
        return id

    def keep_guest(self, player: str, name: str, password: str, visitor: Visitor) -> None:
        """Let a guest sign in by name and password from now on; raises as `register` does.

        Raises StaleSession for a player who is no longer a guest.
        """
        name = chosen_name(name)
        check_password(password, name)
        hash = self._hash_new(password, visitor)
        if not self.proofs.is_guest(player):
            raise StaleSession
        self.logins.claim(player, name)
        # If two requests keep a guest at the same time, the first one wins.
        if not self.store.put_first(player, PASSWORD, hash):
            self.logins.release_unused(player, name)
            raise StaleSession
        self.store.put_part(player, LOGIN, name)
        self.logins.settle(player)
        self.links.void(player)
        if self.players.names([player])[player] != name:
            self.players.rename(player, name, player)

    def sign_in(self, login: str, password: str, visitor: Visitor) -> str:
        """The id of the player who signs in with a password and a name or confirmed e-mail address.

        Raises SignInRefused, with the same text and after the same time for every reason; also
        TooManyTries and TooBusy.
        """
        player = self.logins.find(login)
        admission = self.guesses.admit(fold_login(login), visitor.address, player, visitor.device)
        hash = self.store.find_part(player or NOBODY, PASSWORD)
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

    def make_recovery_link(self, player: str, by: Principal) -> str:
        """The last part of a link that signs a player in once; raises NotFound.

        Raises ExceedsToken for a player who may do more than play, and for longer than `by` may;
        also if `by` is that player, who would stay signed in for longer.
        """
        state = self.players.load(player)
        if state.erased:
            raise NotFound(KIND, player)
        if by.grant is not None:
            end = by.grant.find_end([ADMIN])
            if by.player == player:
                check_lasts(by.grant.find_end([PLAY]), None)
            for token in self.proofs.list_good_tokens(player):
                if set(token.scopes) - {PLAY}:
                    check_lasts(end, token.expires)
        return self.links.write(self.links.make(Link(Purpose.RECOVER, player)))

    def begin_session(
        self, player: str, way: Way, visitor: Visitor, token: str | None = None
    ) -> str:
        """Sign a player in; returns the value of the browser's cookie. Raises SignInRefused."""
        self.check_living(player)
        return self.sessions.begin(player, way, visitor.browser, token)

    def end_sessions(self, player: str, *ids: str) -> None:
        """End sessions of a player, at once in this process."""
        self.sessions.end(player, *ids)
        self.players.bearers.forget()

    def end_other_sessions(self, bearer: Bearer) -> None:
        """End all sessions of a player except the one that makes the request."""
        player = bearer.actor.player
        known = self.store.load(player).sessions
        self.end_sessions(player, *(one.id for one in known if one.id != bearer.session))

    def choose_password(self, player: str, login: str, password: str, visitor: Visitor) -> None:
        """Let a player sign in with this name and password, and no longer with another.

        Unused links that would sign the player in become void. Raises BadValue, WeakPassword,
        NameInUse and TooBusy.
        """
        login = chosen_name(login)
        check_password(password, login)
        old = self.store.load(player).login
        hash = self._hash_new(password, visitor)
        if old is None or fold_login(old) != fold_login(login):
            self.logins.claim(player, login)
        self._put_password(player, login, hash)
        self.links.void(player)
        if old is not None and fold_login(old) != fold_login(login):
            self.logins.release(player, old)

    def remove_password(self, player: str) -> None:
        """Stop a player from signing in with a name and password; raises LastWayIn."""
        account = self.store.load(player)
        self._check_not_last(account, account.password is not None)
        if account.login is not None:
            self.logins.release(player, account.login)
        self.store.remove_parts(player, LOGIN, PASSWORD)
        self.links.void(player)

    def remove_address(self, player: str) -> None:
        """Stop a player from signing in by e-mail; raises LastWayIn."""
        account = self.store.load(player)
        self.store.remove_parts(player, PENDING)
        if account.address is None:
            return
        self._check_not_last(account, True)
        key = self.store.address_key(account.address.address)
        self.store.release(Index.ADDRESSES, key, player)
        self.store.remove_parts(player, ADDRESS)

    def remove_passkey(self, player: str, id: str) -> None:
        """Stop a player from signing in with a passkey; raises LastWayIn."""
        account = self.store.load(player)
        if any(one.id == id for one in account.passkeys):
            self._check_not_last(account, True)
            self.store.remove_parts(player, f"{PASSKEY}{id}")

    def remove_identity(self, player: str, key: str) -> None:
        """Stop a player from signing in through another service; raises LastWayIn.

        `key` is that of the identity (`AccountStore.identity_key`).
        """
        account = self.store.load(player)
        known = {self.store.identity_key(one.issuer, one.subject) for one in account.identities}
        if key in known:
            self._check_not_last(account, True)
            self.store.release(Index.IDENTITIES, key, player)
            self.store.remove_parts(player, f"{IDENTITY}{key}")

    def erase(self, player: str) -> None:
        """Forget all of a player's credentials, and end their sessions."""
        self.store.erase(player)
        self.players.bearers.forget()

    def check_living(self, player: str) -> None:
        """Raise SignInRefused for a player who was erased."""
        state = self.players.find(player)
        if state is None or state.erased:
            raise SignInRefused

    def find_principal(self, state: PlayerState) -> Principal:
        """The limits of a session that was begun without a token: the player's own rights."""
        now = self.clock()
        good = [token for token in state.tokens.values() if token.is_good(now)]
        return Principal(state.id, Grant.from_session(good))

    def _hash_new(self, password: str, visitor: Visitor) -> str:
        """The hash of a password that somebody chooses; raises TooManyTries and TooBusy."""
        self.guesses.begin(visitor.address)
        return self.passwords.hash(password, visitor.address)

    def _put_password(self, player: str, login: str, hash: str) -> None:
        self.store.put_part(player, LOGIN, login)
        self.store.put_part(player, PASSWORD, hash)
        self.logins.settle(player)

    def _check_not_last(self, account: Account, removes: bool) -> None:
        """Raise LastWayIn if a way to sign in is removed and none would be left."""
        if removes and account.ways == 1 and not self.proofs.list_good_tokens(account.player):
            raise LastWayIn
