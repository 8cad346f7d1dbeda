"""SQLite files of the data directory that only save work: all their contents can be made anew.

Several processes of one machine share such a file. Its rows are signed, so that a row which is
forged, or was written by another release, is not trusted.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import quote

from service.storage.capacity import measure_spare_room
from service.storage.release import digest_release

log = logging.getLogger(__name__)

T = TypeVar("T")

PATIENCE: Final = 0.2
"""Seconds to wait for another process that writes the file."""
PAGE: Final = 4096


class SpareFile:
    """A file of at most `most` bytes. No method raises an error when the file fails."""

    def __init__(self, path: Path, purpose: str, secret: bytes, most: int) -> None:
        """`secret` is the service's own; `purpose` says what the file is for, in log messages."""
        self.path = path
        self.most = most
        self._purpose = purpose
        self._key = sha256(f"{path.stem}\0".encode() + secret).digest()
        self._release = digest_release().encode()

    @property
    def release(self) -> int:
        """A number of 24 bits that identifies the running release."""
        return int.from_bytes(sha256(self._release).digest()[:3], "big")

    @property
    def has_room(self) -> bool:
        """Whether the disk has more room than the service needs."""
        return measure_spare_room(self.path.parent) > 0

    def begin(self) -> None:
        """Create an empty file if there is none, readable only by its owner."""
        with suppress(OSError):
            self.path.touch(mode=0o600)

    def sign(self, *parts: bytes) -> bytes:
        """The keyed digest of a row; another release computes a different one."""
        return blake2b(b"\0".join((self._release, *parts)), key=self._key, digest_size=32).digest()

    def attempt(self, action: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """Return what `action` returns, in one transaction; `otherwise` if the file fails."""
        if not self.path.exists():
            return otherwise
        name = f"file:{quote(str(self.path))}?mode=rw"
        try:
            # A new connection for each use: a process must not share one with its forks.
            with closing(sqlite3.connect(name, uri=True, timeout=PATIENCE)) as database, database:
                # What a power cut loses is made anew.
                database.execute("PRAGMA synchronous=OFF")
                database.execute(f"PRAGMA max_page_count={self.most // PAGE}")
                return action(database)
        except sqlite3.OperationalError as error:
            log.info("%s: %s", self._purpose, error)
        except (sqlite3.DatabaseError, OSError) as error:
            log.warning("%s: %s", self._purpose, error)
            self._delete()
        return otherwise

    def _delete(self) -> None:
        """Delete a damaged file; the next use creates another."""
        for end in ("-journal", ""):
            with suppress(OSError):
                self.path.with_name(self.path.name + end).unlink()
