"""An OpenID Connect provider, such as a club's, that says who somebody is.

The authorization code flow with PKCE, `state` and `nonce` (OpenID Connect Core 1.0, 3.1; RFC 7636,
RFC 9700). The operator configures one provider; its answers are checked like any other input.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping
from typing import Any, Final

import requests
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2 import OAuth2Error
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from service.accounts.errors import IdentityRefused, IdentityUnavailable
from service.accounts.provider_answers import Attempt, ProviderIdentity

TIMEOUT_S: Final = 8
KEPT_S: Final = 3600
"""Seconds for which the provider's endpoints are not looked up again."""
LEEWAY_S: Final = 120
"""Seconds by which the provider's clock may differ."""
SCOPE: Final = "openid profile"
ALGORITHMS: Final = ("RS256", "PS256", "ES256", "EdDSA")
LONGEST_SUBJECT: Final = 255
NEEDED: Final = ("authorization_endpoint", "token_endpoint", "jwks_uri")


class Provider:
    """The provider of an `issuer`; `name` is what the button to it says."""

    def __init__(self, issuer: str, client_id: str, client_secret: str | None, name: str) -> None:
        self.issuer = issuer
        self.client_id = client_id
        self.client_secret = client_secret
        self.name = name
        self._known: Mapping[str, Any] = {}
        self._until = 0.0

    def begin(self, redirect_uri: str) -> tuple[str, Attempt]:
        """The URL at which a browser signs in with the provider; raises IdentityUnavailable."""
        attempt = Attempt(*(secrets.token_urlsafe(32) for _ in range(3)))
        client = self._connect(redirect_uri)
        url, _ = client.create_authorization_url(
            self._discover()["authorization_endpoint"],
            state=attempt.state,
            nonce=attempt.nonce,
            code_verifier=attempt.verifier,
        )
        return str(url), attempt

    def finish(self, redirect_uri: str, code: str, attempt: Attempt) -> ProviderIdentity:
        """The person who has signed in; raises IdentityRefused and IdentityUnavailable."""
        endpoints = self._discover()
        client = self._connect(redirect_uri)
        try:
            answer = client.fetch_token(
                endpoints["token_endpoint"],
                grant_type="authorization_code",
                code=code,
                code_verifier=attempt.verifier,
                timeout=TIMEOUT_S,
            )
        except (OAuthError, OAuth2Error) as error:
            raise IdentityRefused("it has not confirmed the sign-in") from error
        except (requests.RequestException, ValueError) as error:
            raise IdentityUnavailable from error
        claims = self._check(str(answer.get("id_token", "")), endpoints, attempt)
        label = next((claims[one] for one in ("name", "preferred_username") if claims.get(one)), "")
        return ProviderIdentity(self.issuer, claims["sub"], str(label)[:100])

    def _check(
        self, id_token: str, endpoints: Mapping[str, Any], attempt: Attempt
    ) -> Mapping[str, Any]:
        """The claims of an ID token that is valid for this attempt; raises IdentityRefused."""
        needed = jwt.JWTClaimsRegistry(
            leeway=LEEWAY_S,
            iss={"essential": True, "value": self.issuer},
            aud={"essential": True, "value": self.client_id},
            nonce={"essential": True, "value": attempt.nonce},
            sub={"essential": True},
            exp={"essential": True},
            iat={"essential": True},
        )
        keys = self._fetch(endpoints["jwks_uri"])
        try:
            token = jwt.decode(id_token, KeySet.import_key_set(keys), algorithms=ALGORITHMS)
            needed.validate(token.claims)
        except (JoseError, ValueError, TypeError, KeyError) as error:
            raise IdentityRefused("what it says about you cannot be trusted") from error
        subject, audience = token.claims["sub"], token.claims["aud"]
        named = isinstance(audience, str) or audience == [self.client_id]
        named = named or token.claims.get("azp") == self.client_id
        if not named or not isinstance(subject, str) or len(subject) > LONGEST_SUBJECT:
            raise IdentityRefused("what it says about you cannot be trusted")
        return token.claims

    def _connect(self, redirect_uri: str) -> OAuth2Session:
        return OAuth2Session(
            self.client_id,
            self.client_secret,
            token_endpoint_auth_method="client_secret_basic" if self.client_secret else "none",
            scope=SCOPE,
            redirect_uri=redirect_uri,
            code_challenge_method="S256",
        )

    def _discover(self) -> Mapping[str, Any]:
        """The provider's endpoints (OpenID Connect Discovery 1.0); raises IdentityUnavailable."""
        if time.monotonic() >= self._until:
            path = "/.well-known/openid-configuration"
            found = self._fetch(self.issuer.removesuffix("/") + path)
            if found.get("issuer") != self.issuer or not all(map(found.get, NEEDED)):
                raise IdentityUnavailable
            self._known, self._until = found, time.monotonic() + KEPT_S
        return self._known

    def _fetch(self, url: str) -> Any:
        """The JSON object at an address; raises IdentityUnavailable."""
        try:
            answer = requests.get(url, timeout=TIMEOUT_S, allow_redirects=False)
            answer.raise_for_status()
            found = answer.json()
        except (requests.RequestException, ValueError) as error:
            raise IdentityUnavailable from error
        if answer.status_code != 200 or not isinstance(found, dict):
            raise IdentityUnavailable
        return found
