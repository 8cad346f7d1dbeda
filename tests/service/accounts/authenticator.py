"""A software authenticator: creates passkeys and answers challenges as a device does."""

from __future__ import annotations

import hashlib
import json
import secrets
from typing import Any

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url

PRESENT, VERIFIED, HAS_KEY = 0x01, 0x04, 0x40


class Authenticator:
    """A device with one passkey; `verifies` says whether it verifies its user by finger or PIN."""

    def __init__(self, origin: str, domain: str, *, verifies: bool = True) -> None:
        self.origin = origin
        self.domain = domain
        self.count = 0
        self.id = secrets.token_bytes(16)
        self.user = b""
        self.flags = PRESENT | (VERIFIED if verifies else 0)
        self._key = ec.generate_private_key(ec.SECP256R1())

    def make(
        self, options: dict[str, Any], key: object = None, format: str = "none", **statement: object
    ) -> dict[str, Any]:
        """What `navigator.credentials.create` returns for these options.

        A hostile browser may send any `key`, and an attestation of any `format` and `statement`.
        """
        self.user = base64url_to_bytes(options["user"]["id"])
        point = self._key.public_key().public_numbers()
        x, y = (number.to_bytes(32, "big") for number in (point.x, point.y))
        made = {1: 2, 3: -7, -1: 1, -2: x, -3: y} if key is None else key
        about = bytes(16) + len(self.id).to_bytes(2, "big") + self.id + cbor2.dumps(made)
        data = self._data(HAS_KEY) + about
        attestation = cbor2.dumps({"fmt": format, "attStmt": statement, "authData": data})
        said = self._say("webauthn.create", options["challenge"])
        return self._credential(attestationObject=attestation, clientDataJSON=said)

    def answer(self, options: dict[str, Any]) -> dict[str, Any]:
        """What `navigator.credentials.get` returns for these options."""
        self.count += 1
        data, said = self._data(), self._say("webauthn.get", options["challenge"])
        signature = self._key.sign(data + hashlib.sha256(said).digest(), ec.ECDSA(hashes.SHA256()))
        return self._credential(
            authenticatorData=data, clientDataJSON=said, signature=signature, userHandle=self.user
        )

    def _data(self, flags: int = 0) -> bytes:
        domain = hashlib.sha256(self.domain.encode()).digest()
        return domain + bytes([self.flags | flags]) + self.count.to_bytes(4, "big")

    def _say(self, kind: str, challenge: str) -> bytes:
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin}).encode()

    def _credential(self, **response: bytes) -> dict[str, Any]:
        id = bytes_to_base64url(self.id)
        written = {name: bytes_to_base64url(value) for name, value in response.items()}
        return {"id": id, "rawId": id, "type": "public-key", "response": written}
