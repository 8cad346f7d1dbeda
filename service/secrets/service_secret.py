"""The service's own secret, from which ids and digests that nobody may guess are derived."""

from __future__ import annotations

import base64
import binascii
import os
from typing import Final

from service.environment import BadSetting
from service.secrets.key_source import KeySource

SECRET_BYTES: Final = 32


def read_service_secret(source: KeySource) -> bytes:
    """Read the secret, which is made first if there is none and the operator provides none.

    The operator may provide 32 bytes, as in the file of a data directory, or these in base64.
    Raises BadSetting for anything else.
    """
    source.make_once(make_service_secret)
    secret = source.read()
    if len(secret) != SECRET_BYTES and source.given:
        secret = _decode(secret)
    if len(secret) != SECRET_BYTES:
        hint = ", as they are or in base64" if source.given else "; restore it from a backup"
        raise BadSetting(source.origin, f"expected {SECRET_BYTES} bytes{hint}")
    return secret


def make_service_secret() -> bytes:
    """Make a new secret."""
    return os.urandom(SECRET_BYTES)


def _decode(text: bytes) -> bytes:
    try:
        return base64.b64decode(
            text.strip().translate(bytes.maketrans(b"-_", b"+/")), validate=True
        )
    except binascii.Error:
        return b""
