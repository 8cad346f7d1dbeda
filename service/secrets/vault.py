"""Encrypts secret choices at rest with the service's own keys.

The keys are in a file (mode 0600, in every backup), one a line, the newest first: new secrets are
sealed with the first, all of them open. `service.operations.choice_key_rotation` puts a new one in
front.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from service.log.values import StreamId
from service.secrets import keyfile
from service.secrets.errors import CannotUnseal

SMALLEST: Final = 256
"""Bytes that a choice is filled up to: all have the same length."""
LARGER: Final = 4096
"""Bytes that anything longer is filled up to, or to the next power of two: most findings of one
analysis have the same length, though one line of play is longer than another."""


Stamp = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ChoiceKeys:
    """The keys that a file held when it had this stamp, the newest first."""

    stamp: Stamp
    keys: tuple[Fernet, ...]

    @property
    def newest(self) -> Fernet:
        """The key that seals."""
        return self.keys[0]

    @property
    def all(self) -> MultiFernet:
        """The keys that open."""
        return MultiFernet(self.keys)


def make_stamp(status: os.stat_result) -> Stamp:
    """Make the stamp of a key file, which changes when the file does."""
    return status.st_ino, status.st_mtime_ns


def read_keys(file: Path) -> list[bytes]:
    """Read the keys of a file, the newest first; none if there is no file yet."""
    return file.read_bytes().split() if file.exists() else []


def join_keys(keys: Sequence[bytes]) -> bytes:
    """Join keys to the content of a key file."""
    return b"\n".join(keys) + b"\n"


def pad_size(size: int) -> int:
    """Compute the size a secret of so many bytes is padded to, so that its length reveals nothing.

    >>> [pad_size(size) for size in (100, 256, 257, 4096, 5000)]
    [256, 256, 4096, 4096, 8192]
    """
    return SMALLEST if size <= SMALLEST else max(LARGER, 1 << (size - 1).bit_length())


class Vault:
    """Seals and opens the private parts of events, each bound to its place in the log."""

    def __init__(self, file: Path) -> None:
        self.file = file
        keyfile.make_once(file, Fernet.generate_key() + b"\n")
        self._ring = self._read()

    def _read(self) -> ChoiceKeys:
        with self.file.open("rb") as file:
            return ChoiceKeys(
                make_stamp(os.fstat(file.fileno())), tuple(map(Fernet, file.read().split()))
            )

    def _keys(self) -> ChoiceKeys:
        """The keys of this moment: read again where another process has changed them."""
        ring = self._ring
        if ring.stamp != make_stamp(self.file.stat()):
            ring = self._ring = self._read()
        return ring

    def seal(self, stream: StreamId, version: int, private: Mapping[str, str]) -> str:
        """The private part of an event, sealed."""
        place = {"stream": str(stream), "version": version, "private": dict(private)}
        text = json.dumps(place, separators=(",", ":")).encode()
        return self._keys().newest.encrypt(text.ljust(pad_size(len(text)))).decode()

    def open(self, stream: StreamId, version: int, sealed: str) -> dict[str, str]:
        """The private part of the event at this place; raises CannotUnseal."""
        where = f"{stream} at version {version}"
        try:
            place = json.loads(self._keys().all.decrypt(sealed))
        except InvalidToken as error:
            raise CannotUnseal(where) from error
        if (place["stream"], place["version"]) != (str(stream), version):
            raise CannotUnseal(where)
        return dict(place["private"])

    def reseal(self, stream: StreamId, version: int, sealed: str) -> str | None:
        """The same secret sealed with the newest key, None where it is already.

        Raises CannotUnseal.
        """
        try:
            self._keys().newest.decrypt(sealed)
        except InvalidToken:
            return self.seal(stream, version, self.open(stream, version, sealed))
        return None

    def add_key(self) -> None:
        """Put a new key in front of the others."""
        self._write([Fernet.generate_key(), *read_keys(self.file)])

    def drop_old_keys(self) -> None:
        """Drop all keys but the newest; what was sealed with them cannot be opened any more."""
        self._write(read_keys(self.file)[:1])

    def _write(self, keys: Sequence[bytes]) -> None:
        keyfile.replace_file(self.file, join_keys(keys))
