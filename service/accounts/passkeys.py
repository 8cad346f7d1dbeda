"""Signing in with a passkey: a key pair of which a device keeps the private half.

A challenge is valid once and for a few minutes, so that an intercepted answer cannot be replayed.
Passkeys are discoverable: the device says whose passkey it is, and the service names nobody.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from service.accounts.account import PASSKEY, Passkey
from service.accounts.errors import PasskeyRefused
from service.accounts.site import Site
from service.accounts.store import AccountStore
from service.ids import ID

LASTS_S: Final = 300
"""Seconds within which a challenge must be answered."""
MOST: Final = 20
"""The most passkeys of one player."""


class Passkeys:
    """The passkeys of players; `clock` gives milliseconds since 1970 UTC."""

    def __init__(self, store: AccountStore, clock: Callable[[], int]) -> None:
        self.store = store
        self.clock = clock

    def begin_adding(self, site: Site, player: str, name: str) -> dict[str, Any]:
        """What a browser needs to make a passkey of a player with `navigator.credentials`."""
        # Imported only where a ceremony begins: it takes a tenth of the time of a start.
        from service.accounts.ceremonies import offer_registration

        known = [one.id for one in self.store.load(player).passkeys]
        return self._keep(offer_registration(site, player, name, known), player)

    def add(self, site: Site, player: str, credential: Any, name: str) -> Passkey:
        """Let a player sign in with the passkey that a browser has made; raises PasskeyRefused."""
        from service.accounts.ceremonies import check_registration

        made = check_registration(site, credential, self._take(credential, player))
        if len(self.store.load(player).passkeys) >= MOST:
            raise PasskeyRefused
        passkey = Passkey(
            id=made.id,
            key=made.key,
            sign_count=made.sign_count,
            name=name[:100],
            added_at=self.clock(),
        )
        self.store.put_part(player, f"{PASSKEY}{passkey.id}", passkey.to_json())
        return passkey

    def begin_signing_in(self, site: Site) -> dict[str, Any]:
        """What a browser needs to ask for any passkey of this site; the same for everybody."""
        from service.accounts.ceremonies import offer_signing_in

        return self._keep(offer_signing_in(site), "")

    def sign_in(self, site: Site, credential: Any) -> str:
        """The player who signs in with a passkey; raises PasskeyRefused, whatever the reason."""
        from service.accounts.ceremonies import check_signing_in

        challenge = self._take(credential, "")
        player, passkey = self._find(credential)
        count = check_signing_in(site, credential, challenge, passkey)
        used = replace(passkey, sign_count=count)
        self.store.replace_part(player, f"{PASSKEY}{passkey.id}", used.to_json())
        return player

    def _find(self, credential: Any) -> tuple[str, Passkey]:
        """The player whom a browser names, and the passkey; raises PasskeyRefused."""
        try:
            player = _decode(credential["response"]["userHandle"]).decode("ascii")
            id = _encode(_decode(credential["rawId"]))
        except (KeyError, TypeError, ValueError) as error:
            raise PasskeyRefused from error
        text = self.store.find_part(player, f"{PASSKEY}{id}") if ID.match(player) else None
        if text is None:
            raise PasskeyRefused
        return player, Passkey.from_json(text)

    def _keep(self, options: str, player: str) -> dict[str, Any]:
        """Keep the challenge of options for its one answer; returns the options to be sent."""
        found: dict[str, Any] = json.loads(options)
        self.store.put_once(f"challenge:{found['challenge']}", player, LASTS_S)
        return found

    def _take(self, credential: Any, player: str) -> bytes:
        """The challenge that a browser has answered, which is then void; raises PasskeyRefused.

        It must have been made for this player, or for signing in if `player` is empty.
        """
        try:
            said = json.loads(_decode(credential["response"]["clientDataJSON"]))
            challenge = _decode(said["challenge"])
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise PasskeyRefused from error
        if self.store.take_once(f"challenge:{_encode(challenge)}") != player:
            raise PasskeyRefused
        return challenge


def _decode(text: str) -> bytes:
    """The bytes of a text in base64url; raises ValueError and TypeError.

    >>> _decode("YQ"), _decode(_encode(bytes(4))) == bytes(4)
    (b'a', True)
    """
    # More padding than is needed does no harm.
    return urlsafe_b64decode(text + "==")


def _encode(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")
