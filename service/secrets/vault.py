"""Encrypts secret choices at rest with the service's own keys.

There may be several, one per line, the newest first: all of them open what is sealed. The store
names the one that seals, so that all processes switch keys at the same moment; if it names none,
the newest seals. `service.operations.choice_key_rotation` puts a new one before the others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cryptography.fernet import Fernet, InvalidToken, MultiFernet

from service.environment import BadSetting
from service.log.values import StreamId
from service.secrets.errors import CannotUnseal
from service.secrets.key_source import KeySource, compute_fingerprint

SMALLEST: Final = 256
"""Bytes that a choice is padded to, so that all have the same length."""
LARGER: Final = 4096
"""Bytes that anything longer is padded to, or else to the next power of two: most findings of one
analysis then have the same length, though one line of play is longer than another."""


@dataclass(frozen=True, slots=True)
class ChoiceKeys:
    """The keys that a source had when it had this stamp, by fingerprint, the newest first."""

    stamp: Hashable
    keys: Mapping[str, Fernet]

    @property
    def newest(self) -> str:
        """The fingerprint of the newest key."""
        return next(iter(self.keys))

    @property
    def all(self) -> MultiFernet:
        """The keys that open."""
        return MultiFernet(list(self.keys.values()))


def read_keys(source: KeySource) -> list[bytes]:
    """Read the keys of a source, the newest first; empty if there is no file yet."""
    return source.read().split() if source.exists() else []


def make_choice_key() -> bytes:
    """Make a new key."""
    return Fernet.generate_key()


def join_keys(keys: Sequence[bytes]) -> bytes:
    """Join keys into the content of a key file."""
    return b"\n".join(keys) + b"\n"


def pad_size(size: int) -> int:
    """Compute the size that a secret of `size` bytes is padded to; its length then reveals nothing.

    >>> [pad_size(size) for size in (100, 256, 257, 4096, 5000)]
    [256, 256, 4096, 4096, 8192]
    """
    return SMALLEST if size <= SMALLEST else max(LARGER, 1 << (size - 1).bit_length())


class Vault:
    """Seals and opens the private parts of events, each bound to its place in the log."""

    def __init__(
        self, source: KeySource, find_in_use: Callable[[], str | None] = lambda: None
    ) -> None:
        """`find_in_use` finds the fingerprint of the key that seals; None for the newest.

        Raises BadSetting for a damaged source.
        """
        self.source = source
        self._find_in_use = find_in_use
        source.make_once(lambda: join_keys([make_choice_key()]))
        self._ring = self._read()

    def _read(self) -> ChoiceKeys:
        # The stamp first: a change between the two is then read the next time.
        stamp = self.source.stamp()
        try:
            keys = {compute_fingerprint(key): Fernet(key) for key in read_keys(self.source)}
        except ValueError as error:
            raise BadSetting(self.source.origin, f"not a choice key: {error}") from error
        if not keys:
            raise BadSetting(self.source.origin, "there is no choice key in it")
        return ChoiceKeys(stamp, keys)

    def _keys(self) -> ChoiceKeys:
        """The current keys, read again if another process has changed them."""
        ring = self._ring
        if ring.stamp != self.source.stamp():
            ring = self._ring = self._read()
        return ring

    def _sealing_key(self, where: str) -> Fernet:
        """The key that seals; raises CannotUnseal if this process does not have it."""
        named = self._find_in_use()
        ring = self._keys()
        if named is not None and named not in ring.keys:
            # A rotation may have ended since the store was asked.
            named = self._find_in_use()
        if named is not None and named not in ring.keys:
            raise CannotUnseal(where)
        return ring.keys[named or ring.newest]

    def seal(self, stream: StreamId, version: int, private: Mapping[str, str]) -> str:
        """Seal the private part of an event; raises CannotUnseal."""
        place = {"stream": str(stream), "version": version, "private": dict(private)}
        text = json.dumps(place, separators=(",", ":")).encode()
        key = self._sealing_key(f"{stream} at version {version}")
        return key.encrypt(text.ljust(pad_size(len(text)))).decode()

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
        """The same secret sealed with the key in use, None if it already is.

        Raises CannotUnseal.
        """
        try:
            self._sealing_key(f"{stream} at version {version}").decrypt(sealed)
        except InvalidToken:
            return self.seal(stream, version, self.open(stream, version, sealed))
        return None

    def add_key(self) -> None:
        """Put a new key before the others; raises KeysGiven."""
        self.source.replace(join_keys([make_choice_key(), *read_keys(self.source)]))

    def drop_old_keys(self) -> None:
        """Drop all keys but the newest; what was sealed with them cannot be opened any more."""
        self.source.replace(join_keys(read_keys(self.source)[:1]))
