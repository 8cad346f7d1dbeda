"""The key that signs exports (Ed25519).

It is in a JSON Web Key Set: the newest key with its private part first, then the public parts of
the earlier keys. Where the operator provides the keys, several may have private parts; then the one
that the store names signs, so that all processes switch keys at the same moment.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.environment import BadSetting
from service.secrets.key_source import KeySource
from service.verification.errors import BadKeys
from service.verification.keys import (
    PublicKey,
    PublicKeys,
    Signature,
    decode_base64url,
    encode_base64url,
    make_signed_bytes,
)


@dataclass(frozen=True, slots=True)
class SigningKeys:
    """The keys of a source: the private ones by id, the newest first, the public ones, and the JSON
    members of all."""

    private: Mapping[str, Ed25519PrivateKey]
    public: PublicKeys
    members: Sequence[Mapping[str, str]]

    def choose(self, named: str | None) -> str:
        """The id of the key that signs: `named`, or by default the newest."""
        return named if named is not None and named in self.private else next(iter(self.private))


class Signer:
    """Signs statements; the key is made if there is none yet and the operator provides none.

    Raises BadSetting for a damaged file. A key that another process has added is picked up.
    """

    def __init__(
        self, source: KeySource, find_in_use: Callable[[], str | None] = lambda: None
    ) -> None:
        """`find_in_use` finds the id of the key that signs; None for the newest."""
        self.source = source
        self._find_in_use = find_in_use
        source.make_once(make_signing_keys)
        self._kept: tuple[Hashable, SigningKeys] | None = None
        self._ring()

    @property
    def key(self) -> str:
        """The id of the key in use."""
        named = self._find_in_use()
        return self._ring().choose(named)

    @property
    def public_keys(self) -> PublicKeys:
        """The public keys, the newest first."""
        return self._ring().public

    @property
    def key_ids(self) -> list[str]:
        """The ids of the public keys, the newest first."""
        return [key["kid"] for key in self.public_keys.as_json()["keys"]]

    def sign(self, statement: Mapping[str, object], key: str | None = None) -> Signature:
        """Sign a statement (`service.verification.statement`) with the key in use.

        `key` is its id if the caller knows it.
        """
        named = key or self._find_in_use()
        ring = self._ring()
        id = ring.choose(named)
        value = ring.private[id].sign(make_signed_bytes(statement, id))
        return Signature(id, encode_base64url(value))

    def rotate(self) -> str:
        """Replace the key by a new one and return its id; the old one's private part is gone.

        Raises KeysGiven.
        """
        members = self._ring().members
        self.source.replace(written(Ed25519PrivateKey.generate(), members))
        return self._ring().choose(None)

    def _ring(self) -> SigningKeys:
        seen = self.source.stamp()
        if self._kept is None or self._kept[0] != seen:
            self._kept = seen, read_ring(self.source)
        return self._kept[1]


def read_ring(source: KeySource) -> SigningKeys:
    """The keys of a source; raises BadSetting for a damaged one."""
    text = source.read()
    try:
        members = json.loads(text)["keys"]
        # The newest one must sign; those after it may.
        private = [read_private(members[0])]
        private += [read_private(key) for key in members[1:] if "d" in key]
        by_id = {public_part(key).id: key for key in private}
        return SigningKeys(by_id, PublicKeys.parse(text), members)
    except (ValueError, LookupError, TypeError, BadKeys) as error:
        hint = "not a JSON Web Key Set" if source.given else "damaged; restore it from a backup"
        raise BadSetting(source.origin, hint) from error


def read_private(member: Mapping[str, str]) -> Ed25519PrivateKey:
    """The private key of a JSON Web Key; raises ValueError, LookupError or TypeError."""
    return Ed25519PrivateKey.from_private_bytes(decode_base64url(member["d"]))


def make_signing_keys() -> bytes:
    """Make a new key: the content of a file with no other key."""
    return written(Ed25519PrivateKey.generate(), [])


def add_signing_key(source: KeySource) -> str:
    """Put a new key before those of a source, which keep their private parts; returns its id.

    Raises BadSetting for a damaged source, and KeysGiven.
    """
    new, members = Ed25519PrivateKey.generate(), read_ring(source).members
    source.replace(_join([_private_member(new), *members]))
    return public_part(new).id


def keep_newest_private(source: KeySource) -> None:
    """Drop the private parts of all keys but the newest; raises BadSetting and KeysGiven."""
    first, *older = read_ring(source).members
    source.replace(_join([first, *map(_forget_private, older)]))


def public_part(private: Ed25519PrivateKey) -> PublicKey:
    """The public key for a private one."""
    return PublicKey(private.public_key().public_bytes_raw())


def written(private: Ed25519PrivateKey, older: Sequence[Mapping[str, str]]) -> bytes:
    """The content of the key file with this key as the only one that signs."""
    return _join([_private_member(private), *map(_forget_private, older)])


def _private_member(key: Ed25519PrivateKey) -> Mapping[str, str]:
    return {**public_part(key).as_json(), "d": encode_base64url(key.private_bytes_raw())}


def _forget_private(member: Mapping[str, str]) -> Mapping[str, str]:
    return {name: value for name, value in member.items() if name != "d"}


def _join(members: Sequence[Mapping[str, str]]) -> bytes:
    return json.dumps({"keys": members}, indent=1).encode() + b"\n"
