"""The links in mails: signed, so that nobody can forge one, and valid without signing in."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any, Final

from itsdangerous import BadData, URLSafeSerializer

from service.ids import keyed_digest
from service.mail.errors import BadLink, ExpiredLink
from service.mail.subscription import Subscription, digest_address

LASTS: Final = 24 * 3600 * 1000
"""Milliseconds for which a link can confirm an address."""
CONFIRM: Final = "confirm"
STOP: Final = "stop"


class Links:
    """Makes and reads the links; `clock` gives milliseconds since 1970 UTC.

    A link names a player and the digest of an address, and works only while that is the player's
    address. `public_url` is where browsers find the service.
    """

    def __init__(self, secret: bytes, clock: Callable[[], int], public_url: str) -> None:
        self.secret = secret
        self.clock = clock
        self.public_url = public_url

    def confirm_url(self, subscription: Subscription) -> str:
        """The link that confirms an address, for LASTS from when it was requested."""
        return self._url(CONFIRM, subscription, subscription.asked_at + LASTS)

    def stop_url(self, subscription: Subscription) -> str:
        """The link that stops all mail to an address; it does not expire."""
        return self._url(STOP, subscription, 0)

    def game_url(self, id: str) -> str:
        """Where a game is played."""
        return f"{self.public_url}/games/{id}"

    def settings_url(self) -> str:
        """Where a player chooses what to be notified of."""
        return f"{self.public_url}/mail"

    def read_confirm(self, token: str) -> tuple[str, str]:
        """The player and the digest of the address; raises BadLink or ExpiredLink."""
        player, digest, until = self._read(CONFIRM, token)
        if self.clock() >= until:
            raise ExpiredLink
        return player, digest

    def read_stop(self, token: str) -> tuple[str, str]:
        """The player and the digest of the address; raises BadLink."""
        player, digest, _ = self._read(STOP, token)
        return player, digest

    def _url(self, purpose: str, subscription: Subscription, until: int) -> str:
        digest = digest_address(self.secret, subscription.address)
        token = self._serializer(purpose).dumps([subscription.player, digest, until])
        return f"{self.public_url}/mail/{purpose}/{token}"

    def _read(self, purpose: str, token: str) -> tuple[str, str, int]:
        try:
            read: Any = self._serializer(purpose).loads(token)
        except BadData:
            raise BadLink from None
        player, digest, until = read
        return player, digest, until

    def _serializer(self, purpose: str) -> URLSafeSerializer:
        key = keyed_digest(self.secret, "mail links")
        options = {"key_derivation": "hmac", "digest_method": sha256}
        return URLSafeSerializer(key, salt=f"movelog mail {purpose}", signer_kwargs=options)
