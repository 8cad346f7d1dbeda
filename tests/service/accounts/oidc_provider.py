"""A small OpenID Connect provider on this machine, which signs in whomever a test names.

It checks what providers check: the client and its secret, the redirect URI, PKCE, and that a code
is used only once. `claims` overrides claims of its ID tokens, to imitate a bad provider.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

from tests.http_server import serve_in_thread

CLIENT = "movelog"
SECRET = "s3cret & more"


class OidcProvider:
    """The provider; `user` is the subject and name of whoever signs in next."""

    def __init__(self, address: str) -> None:
        self.issuer = address
        self.user = ("u-1", "Ada King")
        self.claims: dict[str, Any] = {}
        self.key = RSAKey.generate_key(2048, {"kid": "k1", "use": "sig", "alg": "RS256"})
        self.signs_with = self.key
        self.document: dict[str, Any] = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
        }
        self.asked: list[dict[str, str]] = []
        self._codes: dict[str, dict[str, str]] = {}

    @property
    def environment(self) -> dict[str, str]:
        """The settings of a service that uses this provider."""
        return {
            "MOVELOG_OIDC_ISSUER": self.issuer,
            "MOVELOG_OIDC_CLIENT_ID": CLIENT,
            "MOVELOG_OIDC_SECRET": SECRET,
            "MOVELOG_OIDC_NAME": "Chess Club",
        }

    def authorize(self, query: dict[str, str]) -> str:
        """The URL that the browser is redirected to."""
        assert (query["client_id"], query["response_type"]) == (CLIENT, "code")
        assert query["code_challenge_method"] == "S256"
        assert "openid" in query["scope"].split()
        code = secrets.token_urlsafe(16)
        self._codes[code] = query
        self.asked.append(query)
        back = {"code": code, "state": query["state"], "iss": self.issuer}
        return f"{query['redirect_uri']}?{urlencode(back)}"

    def exchange(self, form: dict[str, str], authorization: str) -> tuple[int, dict[str, Any]]:
        """The status and body of the answer to a token request."""
        basic = base64.b64decode(authorization.removeprefix("Basic ")).decode()
        asked = self._codes.pop(form.get("code", ""), None)
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if basic != f"{CLIENT}:{SECRET}":
            return 401, {"error": "invalid_client"}
        if (
            asked is None
            or asked["code_challenge"] != challenge
            or asked["redirect_uri"] != form.get("redirect_uri")
        ):
            return 400, {"error": "invalid_grant"}
        return 200, {
            "access_token": secrets.token_urlsafe(16),
            "token_type": "Bearer",
            "id_token": self.sign(asked["nonce"]),
        }

    def sign(self, nonce: str) -> str:
        """An ID token for `user`."""
        now, (subject, name) = int(time.time()), self.user
        claims: dict[str, Any] = {
            "iss": self.issuer,
            "aud": CLIENT,
            "sub": subject,
            "name": name,
            "nonce": nonce,
        }
        claims |= {"iat": now, "exp": now + 300} | self.claims
        kept = {name: value for name, value in claims.items() if value is not None}
        return jwt.encode({"alg": "RS256", "kid": "k1"}, kept, self.signs_with)


class _Handler(BaseHTTPRequestHandler):
    provider: OidcProvider

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path == "/authorize":
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            self.send_response(302)
            self.send_header("Location", self.provider.authorize(query))
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif parts.path == "/keys":
            self._answer(200, {"keys": [self.provider.key.as_dict(private=False)]})
        else:
            assert parts.path == "/.well-known/openid-configuration"
            self._answer(200, self.provider.document)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        form = {name: values[0] for name, values in parse_qs(body).items()}
        self._answer(*self.provider.exchange(form, self.headers.get("Authorization", "")))

    def _answer(self, status: int, told: dict[str, Any]) -> None:
        data = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *values: object) -> None:
        """Write nothing."""


@contextmanager
def running_provider() -> Iterator[OidcProvider]:
    """A provider that runs while the context lasts."""
    handler = type("Handler", (_Handler,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    provider = OidcProvider(f"http://127.0.0.1:{server.server_port}")
    handler.provider = provider  # type: ignore[attr-defined]
    with serve_in_thread(server):
        yield provider
