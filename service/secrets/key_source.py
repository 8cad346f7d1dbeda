"""Where a key of the service comes from: its own file, or the operator.

A file in the data directory is made at the first start, and read again when another process changes
it. The service neither makes nor changes keys that the operator provides (`service.settings`): they
stay as they were when the process started.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Final, Protocol

from service.environment import CHOICE_KEY, SECRET_KEY, SIGNING_KEY
from service.secrets import keyfile
from service.secrets.errors import KeysGiven
from service.settings import Settings

DOMAIN: Final = b"movelog key fingerprint\n"
"""Put before the digested bytes, so that the digest is good for nothing else."""


def compute_fingerprint(key: bytes) -> str:
    """Compute the fingerprint of a random key, 32 hexadecimal digits."""
    return sha256(DOMAIN + key).hexdigest()[:32]


class KeySource(Protocol):
    """Where a key comes from."""

    @property
    def name(self) -> str:
        """The key's name in the store: the name of its file in a data directory."""

    @property
    def origin(self) -> str:
        """The key's name in messages."""

    @property
    def given(self) -> bool:
        """Whether the operator provides it, so that the service must not make or change it."""

    def exists(self) -> bool:
        """Whether there is a key."""

    def read(self) -> bytes:
        """Read the content; raises FileNotFoundError."""

    def stamp(self) -> Hashable:
        """A value that changes when the content does; raises FileNotFoundError."""

    def make_once(self, make: Callable[[], bytes]) -> None:
        """Store what `make` returns if there is no content; of several processes the first wins."""

    def replace(self, content: bytes) -> None:
        """Replace the content; raises KeysGiven."""


@dataclass(frozen=True, slots=True)
class KeyFile:
    """A key file that the service makes itself."""

    path: Path

    @property
    def name(self) -> str:
        """The file's name."""
        return self.path.name

    @property
    def origin(self) -> str:
        """The file's path."""
        return str(self.path)

    @property
    def given(self) -> bool:
        """False: the service makes it."""
        return False

    def exists(self) -> bool:
        """Whether there is a file."""
        return self.path.exists()

    def read(self) -> bytes:
        """Read the file."""
        return self.path.read_bytes()

    def stamp(self) -> Hashable:
        """Identifies the file, and the time when it was written."""
        status = os.stat(self.path)
        return status.st_ino, status.st_mtime_ns

    def make_once(self, make: Callable[[], bytes]) -> None:
        """Write the file (mode 0600) if there is none."""
        if not self.exists():
            keyfile.make_once(self.path, make())

    def replace(self, content: bytes) -> None:
        """Replace the file, whole or not at all."""
        keyfile.replace_file(self.path, content)


@dataclass(frozen=True, slots=True)
class GivenKey:
    """A key that the operator provides."""

    name: str
    origin: str
    content: bytes = field(repr=False)

    @property
    def given(self) -> bool:
        """True."""
        return True

    def exists(self) -> bool:
        """True."""
        return True

    def read(self) -> bytes:
        """The content when the process started."""
        return self.content

    def stamp(self) -> Hashable:
        """A constant: the key never changes."""
        return None

    def make_once(self, make: Callable[[], bytes]) -> None:
        """Do nothing, since the key exists."""

    def replace(self, content: bytes) -> None:
        """Raise KeysGiven."""
        raise KeysGiven(self.origin)


@dataclass(frozen=True, slots=True)
class KeySources:
    """Where the three keys of the service come from."""

    secret: KeySource
    choice: KeySource
    signing: KeySource

    @property
    def all(self) -> tuple[KeySource, ...]:
        """All of them."""
        return self.secret, self.choice, self.signing


def find_key_sources(settings: Settings) -> KeySources:
    """Find where the keys of these settings come from."""

    def find(name: str) -> KeySource:
        if settings.given_keys is None:
            return KeyFile(settings.data_dir / name)
        return GivenKey(name, *settings.given_keys[name])

    return KeySources(find(SECRET_KEY), find(CHOICE_KEY), find(SIGNING_KEY))
