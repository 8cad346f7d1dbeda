"""Bearer tokens as text, `mlg_<player>_<secret>`, and the stored hash of the secret.

Sessions of browsers have a similar form, `mls_<player>_<secret>`.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from engine.phrase import phrase
from service.errors import BadValue
from service.ids import ID
from service.player.errors import BadToken
from service.player.events import TokenIssued
from service.player.scopes import SCOPES
from service.player.state import Token

PREFIX = "mlg"
SESSION_PREFIX = "mls"


@dataclass(frozen=True, slots=True)
class NewToken:
    """A newly issued token; `secret` is the whole bearer string, which is shown only once."""

    token: Token
    secret: str


def attribute_of(event: TokenIssued, secret: str, name: str | None = None) -> dict[str, str]:
    """The attribute that a token adds to its player's stream: hash, scopes, expiry, and name."""
    stored: dict[str, object] = {
        "hash": digest_of(secret),
        "scopes": event.scopes,
        "expires": event.expires,
    }
    if name is not None:
        stored["name"] = name
    return {field_of(event.token): json.dumps(stored, separators=(",", ":"))}


def new_token(secret: str, scopes: Sequence[str], expires: int | None, at: int) -> Token:
    """A token with this secret, issued at this time; raises BadValue."""
    unknown = set(scopes) - set(SCOPES)
    if unknown or not scopes:
        raise BadValue("scopes", phrase("some of {scopes}", scopes=", ".join(SCOPES)))
    if expires is not None and expires <= at:
        raise BadValue("expires", "in the future")
    return Token(id_of(digest_of(secret)), tuple(scopes), at, expires)


def bearer_of(player: str, secret: str) -> str:
    """The text that a player sends with a request."""
    return f"{PREFIX}_{player}_{secret}"


def session_bearer(player: str, secret: str) -> str:
    """The text in the cookie of a player's session."""
    return f"{SESSION_PREFIX}_{player}_{secret}"


def is_session(bearer: str) -> bool:
    """Whether a bearer is a browser's session rather than a token."""
    return bearer.startswith(f"{SESSION_PREFIX}_")


def read_bearer(bearer: str) -> tuple[str, str]:
    """The player whom a token or a session names, and its secret's digest; raises BadToken."""
    prefix, _, rest = bearer.partition("_")
    player, _, secret = rest.partition("_")
    if prefix not in (PREFIX, SESSION_PREFIX) or not ID.match(player) or not secret.isascii():
        raise BadToken
    return player, digest_of(secret)


def fresh_secret() -> str:
    """The secret of a new token or session: 256 random bits in hexadecimal."""
    return secrets.token_hex(32)


def digest_of(secret: str) -> str:
    """The SHA-256 of a secret, in hexadecimal."""
    return sha256(secret.encode()).hexdigest()


def id_of(digest: str) -> str:
    """The id of the token whose secret has this digest."""
    return digest[:16]


def field_of(id: str) -> str:
    """The name under which a token is kept beside its player's stream."""
    return f"token:{id}"
