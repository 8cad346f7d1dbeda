"""The service's own secret, from which ids and digests that nobody may guess are derived."""

from __future__ import annotations

import os
from typing import Final

from service.secrets.keyfile import make_once
from service.settings import BadSetting, Settings

SECRET_BYTES: Final = 32


def read_service_secret(settings: Settings) -> bytes:
    """Read the secret from its file, which is created first if there is none.

    Raises BadSetting for a damaged file.
    """
    path = settings.secret_file
    make_once(path, os.urandom(SECRET_BYTES))
    secret = path.read_bytes()
    if len(secret) != SECRET_BYTES:
        raise BadSetting(str(path), f"expected {SECRET_BYTES} bytes; restore it from a backup")
    return secret
