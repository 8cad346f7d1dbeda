"""Signing in with a passkey: a key pair of which a device keeps the private half.

A challenge is good once and for a few minutes, so nothing that was seen on the way can be sent
again. Passkeys are discoverable: whose one is the device tells, and the service names nobody.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from service.accounts.account import PASSKEY, Passkey
from service.accounts.errors import PasskeyRefused
from service.accounts.store import AccountStore
from service.ids import ID

LASTS_S: Final = 300
"""Seconds within which a challenge is answered."""
SERVICE_NAME: Final = "Movelog"
MOST: Final = 20
"""Passkeys of one player."""
VERIFIED: Final = UserVerificationRequirement.REQUIRED


@dataclass(frozen=True, slots=True)
class Site:
    """Where a browser finds the service: its origin, and the domain that passkeys are bound to."""

    origin: str
    domain: str


def find_site(origin: str) -> Site | None:
    """The site of an origin; None where browsers have no passkeys: without TLS, at an IP address.

    >>> find_site("https://club.example:8443")
    Site(origin='https://club.example:8443', domain='club.example')
    >>> find_site("http://localhost:8320") is None, find_site("http://club.example") is None
    (False, True)
    >>> find_site("https://192.0.2.1") is None
    True
    """
    parts = urlsplit(origin)
    domain = parts.hostname or ""
    local = domain == "localhost" or domain.endswith(".localhost")
    if not domain or not (parts.scheme == "https" or local) or _is_address(domain):
        return None
    return Site(origin, domain)


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


class Passkeys:
    """The passkeys of players; `clock` gives milliseconds since 1970 UTC."""

    def __init__(self, store: AccountStore, clock: Callable[[], int]) -> None:
        self.store = store
        self.clock = clock

    def begin_adding(self, site: Site, player: str, name: str) -> dict[str, Any]:
        """What a browser needs to make a passkey of a player for `navigator.credentials`."""
        known = self.store.load(player).passkeys
        options = generate_registration_options(
            rp_id=site.domain,
            rp_name=SERVICE_NAME,
            user_id=player.encode(),
            user_name=name,
            user_display_name=name,
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement.REQUIRED, user_verification=VERIFIED
            ),
            exclude_credentials=[
                PublicKeyCredentialDescriptor(id=base64url_to_bytes(one.id)) for one in known
            ],
        )
        return self._keep(options.challenge, player, options_to_json(options))

    def add(self, site: Site, player: str, credential: Any, name: str) -> Passkey:
        """Let a player sign in with the passkey that a browser has made; raises PasskeyRefused."""
        challenge = self._take(credential, player)
        try:
            made = verify_registration_response(
                credential=credential,
                expected_challenge=challenge,
                expected_rp_id=site.domain,
                expected_origin=site.origin,
                require_user_verification=True,
            )
        except (WebAuthnException, ValueError) as error:
            raise PasskeyRefused from error
        if len(self.store.load(player).passkeys) >= MOST:
            raise PasskeyRefused
        passkey = Passkey(
            id=bytes_to_base64url(made.credential_id),
            key=bytes_to_base64url(made.credential_public_key),
            sign_count=made.sign_count,
            name=name[:100],
            added_at=self.clock(),
        )
        self.store.put_part(player, f"{PASSKEY}{passkey.id}", passkey.to_json())
        return passkey

    def begin_signing_in(self, site: Site) -> dict[str, Any]:
        """What a browser needs to ask for any passkey of this site; the same for everybody."""
        options = generate_authentication_options(rp_id=site.domain, user_verification=VERIFIED)
        return self._keep(options.challenge, "", options_to_json(options))

    def sign_in(self, site: Site, credential: Any) -> str:
        """Who signs in with a passkey; raises PasskeyRefused, the same for every reason."""
        challenge = self._take(credential, "")
        player, passkey = self._find(credential)
        try:
            verified = verify_authentication_response(
                credential=credential,
                expected_challenge=challenge,
                expected_rp_id=site.domain,
                expected_origin=site.origin,
                credential_public_key=base64url_to_bytes(passkey.key),
                credential_current_sign_count=passkey.sign_count,
                require_user_verification=True,
            )
        except (WebAuthnException, ValueError) as error:
            raise PasskeyRefused from error
        used = replace(passkey, sign_count=verified.new_sign_count)
        self.store.replace_part(player, f"{PASSKEY}{passkey.id}", used.to_json())
        return player

    def _find(self, credential: Any) -> tuple[str, Passkey]:
        """The player whom a browser names, and the passkey; raises PasskeyRefused."""
        try:
            player = base64url_to_bytes(credential["response"]["userHandle"]).decode("ascii")
            id = bytes_to_base64url(base64url_to_bytes(credential["rawId"]))
        except (KeyError, TypeError, ValueError) as error:
            raise PasskeyRefused from error
        text = self.store.find_part(player, f"{PASSKEY}{id}") if ID.match(player) else None
        if text is None:
            raise PasskeyRefused
        return player, Passkey.from_json(text)

    def _keep(self, challenge: bytes, player: str, options: str) -> dict[str, Any]:
        """Keep a challenge for its one answer; returns the options as they are sent."""
        written = bytes_to_base64url(challenge)
        self.store.put_once(f"challenge:{written}", player, LASTS_S)
        found: dict[str, Any] = json.loads(options)
        return found

    def _take(self, credential: Any, player: str) -> bytes:
        """The challenge that a browser has answered, which is good no more; raises PasskeyRefused.

        It must have been made for this player, or for signing in where that is empty.
        """
        try:
            said = json.loads(base64url_to_bytes(credential["response"]["clientDataJSON"]))
            challenge = base64url_to_bytes(said["challenge"])
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise PasskeyRefused from error
        if self.store.take_once(f"challenge:{bytes_to_base64url(challenge)}") != player:
            raise PasskeyRefused
        return challenge
