"""A player's credentials, as values."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Final, Self

LOGIN: Final = "login"
PASSWORD: Final = "password"
ADDRESS: Final = "address"
PENDING: Final = "pending-address"
PASSKEY: Final = "passkey:"
IDENTITY: Final = "identity:"
SESSION: Final = "session:"
LINK_ERA: Final = "link-era"
"""The names, or the beginnings of names, under which the parts of an account are kept."""


class Way(StrEnum):
    """How somebody has signed in."""

    PASSWORD = "password"
    PASSKEY = "passkey"
    MAIL = "mail"
    IDENTITY = "identity"
    TOKEN = "token"
    GUEST = "guest"
    RECOVERY = "recovery"


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of an account that is kept as JSON."""

    def to_json(self) -> str:
        """The part as JSON."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The part that `to_json` wrote."""
        values: dict[str, Any] = json.loads(text)
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Address(_Part):
    """An e-mail address to which links are sent that sign in; times in milliseconds since 1970.

    An address that is not confirmed is kept apart, as pending, and cannot be used yet.
    """

    address: str
    asked_at: int
    confirmed_at: int | None = None


@dataclass(frozen=True, slots=True)
class Passkey(_Part):
    """A public key whose private half a device keeps; `id` and `key` are base64url."""

    id: str
    key: str
    sign_count: int
    name: str
    added_at: int


@dataclass(frozen=True, slots=True)
class Identity(_Part):
    """The player's identity at an OpenID Connect provider, which calls them `label`."""

    issuer: str
    subject: str
    label: str
    added_at: int


@dataclass(frozen=True, slots=True)
class Session(_Part):
    """A browser that is signed in; `hash` is the SHA-256 of the secret in its cookie.

    `token` is the id of the token it was begun with, if any: the session has that token's rights,
    and ends with it. The password was last given again at `proved_at`. Times are milliseconds since
    1970 UTC.
    """

    id: str
    hash: str
    way: str
    browser: str
    begun_at: int
    used_at: int
    token: str | None = None
    proved_at: int | None = None

    @property
    def last_proof(self) -> int:
        """When the player last proved their identity: at the beginning, or since."""
        return self.begun_at if self.proved_at is None else self.proved_at


@dataclass(frozen=True, slots=True)
class Account:
    """All of a player's credentials except tokens, and the browsers where they are signed in."""

    player: str
    login: str | None
    password: str | None
    address: Address | None
    pending: Address | None
    passkeys: tuple[Passkey, ...]
    identities: tuple[Identity, ...]
    sessions: tuple[Session, ...]

    @property
    def ways(self) -> int:
        """The number of ways in which they can sign in without a token."""
        single = (self.password is not None) + (self.address is not None)
        return single + len(self.passkeys) + len(self.identities)


def read_account(player: str, parts: Mapping[str, str]) -> Account:
    """The account whose parts are kept under these names."""

    def named(prefix: str) -> list[str]:
        return [text for name, text in sorted(parts.items()) if name.startswith(prefix)]

    address, pending = parts.get(ADDRESS), parts.get(PENDING)
    return Account(
        player=player,
        login=parts.get(LOGIN),
        password=parts.get(PASSWORD),
        address=None if address is None else Address.from_json(address),
        pending=None if pending is None else Address.from_json(pending),
        passkeys=tuple(map(Passkey.from_json, named(PASSKEY))),
        identities=tuple(map(Identity.from_json, named(IDENTITY))),
        sessions=tuple(map(Session.from_json, named(SESSION))),
    )


LONGEST_FOLDED: Final = 1024
"""Characters of a name that are compared: more than any name, address or password has."""


def fold_login(name: str) -> str:
    """The form in which names to sign in by are compared: case and spaces make no difference.

    >>> fold_login("  Ada   KING ") == fold_login("ada king")
    True
    """
    # Putting marks in order takes the square of their number.
    return " ".join(unicodedata.normalize("NFKC", name[:LONGEST_FOLDED]).casefold().split())
