"""Ids: short, lower-case and without meaning; derived if a retry must arrive at the same one."""

from __future__ import annotations

import hmac
import re
import secrets
from base64 import b32encode
from hashlib import sha256

ID = re.compile(r"[a-z2-7]{16}\Z")


def new_id() -> str:
    """A fresh random id of 16 letters and digits (80 bits)."""
    return _id(secrets.token_bytes(10))


def derived_id(secret: bytes, *parts: str) -> str:
    """The id that these parts always give with this secret.

    >>> derived_id(b"s", "a", "b") == derived_id(b"s", "a", "b")
    True
    >>> derived_id(b"s", "a", "b") == derived_id(b"s", "ab", "")
    False
    """
    return _id(bytes.fromhex(keyed_digest(secret, *parts))[:10])


def keyed_digest(secret: bytes, *parts: str | bytes) -> str:
    """The HMAC-SHA-256 of the parts as hex; each part is framed, so that no two lists collide."""
    digest = hmac.new(secret, digestmod=sha256)
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


def _id(data: bytes) -> str:
    return b32encode(data).decode().lower()
