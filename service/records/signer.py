"""The key that signs exports (Ed25519).

Its file (mode 0600, in every backup) is a JSON Web Key Set: the key in use with its private part
first, then the public parts of those used before.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from service.secrets import keyfile
from service.settings import BadSetting
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
    """The keys of a file: the one in use, its id, the public keys, and their JSON members."""

    private: Ed25519PrivateKey
    id: str
    public: PublicKeys
    members: Sequence[Mapping[str, str]]


class Signer:
    """Signs statements; the key is made where there is none yet.

    Raises BadSetting for a damaged file. A key that another process has put in is taken up.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        keyfile.make_once(file, written(Ed25519PrivateKey.generate(), []))
        self._kept: tuple[tuple[int, int], SigningKeys] | None = None
        self._ring()

    @property
    def key(self) -> str:
        """The id of the key in use."""
        return self._ring().id

    @property
    def public_keys(self) -> PublicKeys:
        """The public keys, the one in use first."""
        return self._ring().public

    @property
    def key_ids(self) -> list[str]:
        """The ids of the public keys, the one in use first."""
        return [key["kid"] for key in self.public_keys.as_json()["keys"]]

    def sign(self, statement: Mapping[str, object]) -> Signature:
        """Sign a statement (`service.verification.statement`) with the key in use."""
        ring = self._ring()
        value = ring.private.sign(make_signed_bytes(statement, ring.id))
        return Signature(ring.id, encode_base64url(value))

    def rotate(self) -> str:
        """Replace the key by a new one and return its id; the old one's private part is gone."""
        members = self._ring().members
        keyfile.replace_file(self.file, written(Ed25519PrivateKey.generate(), members))
        return self.key

    def _ring(self) -> SigningKeys:
        status = self.file.stat()
        seen = (status.st_ino, status.st_mtime_ns)
        if self._kept is None or self._kept[0] != seen:
            self._kept = seen, read_ring(self.file)
        return self._kept[1]


def read_ring(file: Path) -> SigningKeys:
    """The keys of a file; raises BadSetting for a damaged one."""
    text = file.read_bytes()
    try:
        members = json.loads(text)["keys"]
        private = Ed25519PrivateKey.from_private_bytes(decode_base64url(members[0]["d"]))
        return SigningKeys(private, public_part(private).id, PublicKeys.parse(text), members)
    except (ValueError, LookupError, TypeError, BadKeys) as error:
        raise BadSetting(str(file), "damaged; restore it from a backup") from error


def public_part(private: Ed25519PrivateKey) -> PublicKey:
    """The public key of a private one."""
    return PublicKey(private.public_key().public_bytes_raw())


def written(private: Ed25519PrivateKey, older: Sequence[Mapping[str, str]]) -> bytes:
    """The content of the key's file with this key in use."""
    first = {**public_part(private).as_json(), "d": encode_base64url(private.private_bytes_raw())}
    retired = [{name: value for name, value in key.items() if name != "d"} for key in older]
    return json.dumps({"keys": [first, *retired]}, indent=1).encode() + b"\n"
