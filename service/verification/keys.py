"""Public keys (Ed25519, RFC 8032) as a JSON Web Key Set (RFC 7517, 8037), and what they verify.

A key's id is its thumbprint (RFC 7638). A set lists the key in use first, then all that were used
before it, so that old exports stay verifiable.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, Self

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from service.log.chain import canonical
from service.verification.errors import BadKeys, Wrong

KEY_BYTES: Final = 32


def encode_base64url(data: bytes) -> str:
    """Base64url without padding (RFC 4648, 5)."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def decode_base64url(text: str) -> bytes:
    """The bytes of a text in base64url without padding; ValueError for any other spelling."""
    try:
        data = base64.urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
    except binascii.Error as error:
        raise ValueError(str(error)) from error
    # The last letter has bits that mean nothing: only one spelling is right.
    if encode_base64url(data) != text:
        raise ValueError("not base64url")
    return data


@dataclass(frozen=True, slots=True)
class Signature:
    """A signature and the id of the key it was made with; as text `key.value`."""

    key: str
    value: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """The signature in a text; one without a dot has an empty value."""
        key, _, value = text.partition(".")
        return cls(key, value)

    def __str__(self) -> str:
        return f"{self.key}.{self.value}"


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A public key: its 32 bytes."""

    raw: bytes

    @property
    def id(self) -> str:
        """The thumbprint."""
        members = {"crv": "Ed25519", "kty": "OKP", "x": encode_base64url(self.raw)}
        return encode_base64url(sha256(canonical(members)).digest())

    def as_json(self) -> dict[str, str]:
        """The key as a JSON Web Key."""
        known = {"kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig"}
        return {**known, "kid": self.id, "x": encode_base64url(self.raw)}


class PublicKeys:
    """Keys by id, in the order of their set."""

    def __init__(self, keys: Sequence[PublicKey]) -> None:
        self._keys: Mapping[str, PublicKey] = {key.id: key for key in keys}

    @classmethod
    def parse(cls, text: str | bytes) -> Self:
        """The keys of a set as it is served; raises BadKeys. Keys of other kinds are skipped."""
        try:
            found = json.loads(text)["keys"]
            return cls([read_key(key) for key in found if key.get("crv") == "Ed25519"])
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise BadKeys("expected a JSON object with keys as JWK (RFC 8037)") from error

    def as_json(self) -> dict[str, Any]:
        """The set as it is served."""
        return {"keys": [key.as_json() for key in self._keys.values()]}

    def verify(self, statement: Mapping[str, object], signature: Signature) -> None:
        """Raise Wrong unless one of these keys signed the statement (`make_signed_bytes`)."""
        key = self._keys.get(signature.key)
        if key is None:
            raise Wrong(f"signed with the key {signature.key!r}, which is not among those given")
        try:
            value = decode_base64url(signature.value)
            verifier = Ed25519PublicKey.from_public_bytes(key.raw)
            verifier.verify(value, make_signed_bytes(statement, key.id))
        except (InvalidSignature, ValueError) as error:
            raise Wrong("the signature does not match what it signs") from error


def read_key(key: Mapping[str, str]) -> PublicKey:
    """The public part of a JSON Web Key; raises ValueError, LookupError or TypeError."""
    raw = decode_base64url(key["x"])
    if len(raw) != KEY_BYTES:
        raise ValueError(f"x has {len(raw)} bytes instead of {KEY_BYTES}")
    return PublicKey(raw)


def make_signed_bytes(statement: Mapping[str, object], key: str) -> bytes:
    """Return the bytes to sign: the statement's canonical JSON with the key's id in it."""
    return canonical({**statement, "key": key})
