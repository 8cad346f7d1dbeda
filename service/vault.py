"""What the log may not show, sealed: encrypted at rest with keys of the service's own.

The keys are in a file (mode 0600, in every backup), one a line, the newest first: new secrets are
sealed with the first, all of them open. `rotate` puts a new one in front.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from service import keyfile
from service.errors import ServiceError
from service.log.values import StreamId

PADDED = 256
"""Bytes every secret is filled up to, so that its length tells nothing."""


class CannotUnseal(ServiceError):
    """A sealed value that no key opens, or that belongs elsewhere."""

    code = "cannot-unseal"

    def __init__(self, where: str) -> None:
        super().__init__(where)
        self.where = where

    def __str__(self) -> str:
        return f"{self.where} cannot be unsealed; is the key file the one it was sealed with?"


class Vault:
    """Seals and opens the private parts of events, each bound to its place in the log."""

    def __init__(self, file: Path) -> None:
        self.file = file
        keyfile.make_once(file, Fernet.generate_key() + b"\n")
        self._read = (0, 0)
        self._keep_up()

    def _keep_up(self) -> None:
        """Read the keys again where another process has changed them."""
        status = self.file.stat()
        changed = (status.st_ino, status.st_mtime_ns)
        if changed == self._read:
            return
        self._read = changed
        self.keys = self.file.read_bytes().split()
        self._fernet = MultiFernet([Fernet(key) for key in self.keys])

    def seal(self, stream: StreamId, version: int, private: Mapping[str, str]) -> str:
        """The private part of an event, sealed."""
        self._keep_up()
        place = {"stream": str(stream), "version": version, "private": dict(private)}
        text = json.dumps(place, separators=(",", ":")).encode()
        return self._fernet.encrypt(text.ljust(PADDED)).decode()

    def open(self, stream: StreamId, version: int, sealed: str) -> dict[str, str]:
        """The private part of the event at this place; raises CannotUnseal."""
        self._keep_up()
        where = f"{stream} at version {version}"
        try:
            place = json.loads(self._fernet.decrypt(sealed))
        except InvalidToken as error:
            raise CannotUnseal(where) from error
        if (place["stream"], place["version"]) != (str(stream), version):
            raise CannotUnseal(where)
        return dict(place["private"])

    def reseal(self, sealed: str) -> str:
        """The same secret, sealed with the newest key; raises InvalidToken."""
        return self._fernet.rotate(sealed.encode()).decode()

    def is_newest(self, sealed: str) -> bool:
        """Whether the newest key has sealed this."""
        try:
            Fernet(self.keys[0]).decrypt(sealed)
        except InvalidToken:
            return False
        return True

    def add_key(self) -> None:
        """Put a new key in front of the others."""
        self._write([Fernet.generate_key(), *self.keys])

    def drop_old_keys(self) -> None:
        """Keep the newest key alone; what was sealed with another cannot be opened any more."""
        self._write(self.keys[:1])

    def _write(self, keys: list[bytes]) -> None:
        keyfile.replace(self.file, b"\n".join(keys) + b"\n")
        self._keep_up()
