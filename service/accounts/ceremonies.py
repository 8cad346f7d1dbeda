"""The ceremonies of Web Authentication: making a passkey, and signing in with one (W3C, Level 3).

The browser is given JSON for `navigator.credentials`; its answer is checked.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from service.accounts.account import Passkey
from service.accounts.errors import PasskeyRefused
from service.accounts.site import Site

SERVICE_NAME: Final = "Movelog"
VERIFIED: Final = UserVerificationRequirement.REQUIRED
LONGEST_ID: Final = 1023
"""The most bytes of a passkey's id (Web Authentication, 4)."""
LONGEST_KEY: Final = 4096
"""The most bytes of a public key; those of an RSA key of 16,384 bits are half as many."""


class NewPasskey(NamedTuple):
    """A new passkey of a browser: its id and public key in base64url, and its counter."""

    id: str
    key: str
    sign_count: int


def offer_registration(site: Site, player: str, name: str, known: Iterable[str]) -> str:
    """What a browser needs to make a passkey other than those with these ids."""
    return options_to_json(
        generate_registration_options(
            rp_id=site.domain,
            rp_name=SERVICE_NAME,
            user_id=player.encode(),
            user_name=name,
            user_display_name=name,
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement.REQUIRED, user_verification=VERIFIED
            ),
            exclude_credentials=[
                PublicKeyCredentialDescriptor(id=base64url_to_bytes(id)) for id in known
            ],
        )
    )


def check_registration(site: Site, credential: Any, challenge: bytes) -> NewPasskey:
    """The new passkey of a browser, checked; raises PasskeyRefused."""
    try:
        made = verify_registration_response(
            credential=credential,
            expected_challenge=challenge,
            expected_rp_id=site.domain,
            expected_origin=site.origin,
            require_user_verification=True,
        )
    except Exception as error:  # The library raises all kinds for what it cannot read.
        raise PasskeyRefused from error
    if len(made.credential_id) > LONGEST_ID or len(made.credential_public_key) > LONGEST_KEY:
        raise PasskeyRefused
    id, key = map(bytes_to_base64url, (made.credential_id, made.credential_public_key))
    return NewPasskey(id, key, made.sign_count)


def offer_signing_in(site: Site) -> str:
    """What a browser needs to ask for any passkey of this site."""
    return options_to_json(
        generate_authentication_options(rp_id=site.domain, user_verification=VERIFIED)
    )


def check_signing_in(site: Site, credential: Any, challenge: bytes, passkey: Passkey) -> int:
    """The counter of a passkey that has signed a challenge; raises PasskeyRefused."""
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
    except Exception as error:  # The library raises all kinds for what it cannot read.
        raise PasskeyRefused from error
    return verified.new_sign_count
