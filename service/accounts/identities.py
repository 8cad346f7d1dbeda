"""Signing in through an OpenID Connect provider: from the button to the player."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Final

from service.accounts.account import IDENTITY, Identity
from service.accounts.claims import Claims
from service.accounts.errors import IdentityInUse, IdentityRefused
from service.accounts.provider_answers import Attempt, ProviderIdentity
from service.accounts.store import AccountStore, Index
from service.ids import keyed_digest

if TYPE_CHECKING:
    from service.accounts.provider import Provider

LASTS_S: Final = 600
"""Seconds to sign in with the provider, and then to choose a name here."""


@dataclass(frozen=True, slots=True)
class ProviderSignIn:
    """A finished sign-in with the provider, and the path to go to afterwards.

    `player` is the player with this identity, None if there is none yet.
    """

    identity: ProviderIdentity
    player: str | None
    next: str


class Identities:
    """Who players are for the operator's provider, if there is one.

    A sign-in is bound to the browser that began it by a secret in its cookie.
    """

    def __init__(
        self,
        store: AccountStore,
        secret: bytes,
        clock: Callable[[], int],
        provider: Provider | None,
    ) -> None:
        self.store = store
        self.secret = secret
        self.clock = clock
        self.provider = provider
        self.claims = Claims(store, Index.IDENTITIES, self._has)

    def begin(self, redirect_uri: str, next: str) -> tuple[str, str]:
        """The URL at which a browser signs in with the provider, and the secret for its cookie.

        Raises IdentityRefused if there is no provider, and IdentityUnavailable.
        """
        url, attempt = self._require_provider().begin(redirect_uri)
        browser = secrets.token_hex(32)
        kept = {"attempt": asdict(attempt), "browser": self._digest(browser), "next": next}
        self.store.put_once(f"attempt:{attempt.state}", json.dumps(kept), LASTS_S)
        return url, browser

    def finish(self, redirect_uri: str, state: str, code: str, browser: str) -> ProviderSignIn:
        """Finish a sign-in by the provider's `code`; it works once, in the browser that began it.

        The identity of a new person is stored for a while, so that they can choose a name or sign
        in as the player they are here. Raises IdentityRefused and IdentityUnavailable.
        """
        provider = self._require_provider()
        text = self.store.take_once(f"attempt:{state}")
        kept = {} if text is None else json.loads(text)
        own = str(kept.get("browser", ""))
        if not kept or not secrets.compare_digest(own, self._digest(browser)):
            raise IdentityRefused("the sign-in has expired, or began in another browser")
        found = provider.finish(redirect_uri, code, Attempt(**kept["attempt"]))
        key = self.store.identity_key(found.issuer, found.subject)
        player = self.store.find_player(Index.IDENTITIES, key)
        if player is not None and not self._has(player, key):
            player = None  # whose registration was killed, or is not over
        if player is None:
            kept_found = json.dumps(asdict(found))
            self.store.put_once(f"found:{self._digest(browser)}", kept_found, LASTS_S)
        return ProviderSignIn(found, player, kept["next"])

    def find_new(self, browser: str) -> ProviderIdentity:
        """The identity of the new person in this browser; raises IdentityRefused."""
        text = self.store.find_once(f"found:{self._digest(browser)}")
        if text is None:
            raise IdentityRefused("the sign-in has expired")
        return ProviderIdentity(**json.loads(text))

    def connect(
        self, player: str, browser: str, register: Callable[[], object] = lambda: None
    ) -> None:
        """Let a player sign in by the identity with which this browser has returned.

        `register` is called once that is certain, and before the account has the identity. Raises
        IdentityRefused, IdentityInUse if another player has it, and what `register` raises.
        """
        found = self.find_new(browser)
        key = self.store.identity_key(found.issuer, found.subject)
        if not self.claims.claim(player, key):
            raise IdentityInUse
        try:
            register()
        except BaseException:
            self.claims.release(player, key)
            raise
        identity = Identity(found.issuer, found.subject, found.label, self.clock())
        self.store.put_part(player, f"{IDENTITY}{key}", identity.to_json())
        self.claims.settle(player)
        self.store.take_once(f"found:{self._digest(browser)}")

    def _has(self, player: str, key: str) -> bool:
        return self.store.find_part(player, f"{IDENTITY}{key}") is not None

    def _require_provider(self) -> Provider:
        if self.provider is None:
            raise IdentityRefused("none is configured")
        return self.provider

    def _digest(self, browser: str) -> str:
        return keyed_digest(self.secret, "identity browser", browser)
