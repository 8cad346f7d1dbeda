"""SQLite files of the data directory that only save work: all that they have can be made anew.

Several processes of one machine share such a file. Its rows are signed, so that one which is
forged, or was written by another release, is not believed.
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
    """A file of at most so many bytes. No method raises anything when it fails."""

    def __init__(self, path: Path, purpose: str, secret: bytes, most: int) -> None:
        """`secret` is the service's own; `purpose` is what the file is for, and is logged."""
        self.path = path
        self.most = most
        self._purpose = purpose
        self._key = sha256(f"{path.stem}\0".encode() + secret).digest()
        self._release = digest_release().encode()

    @property
    def release(self) -> int:
        """A number of 24 bits that stands for the release that runs."""
        return int.from_bytes(sha256(self._release).digest()[:3], "big")

    @property
    def has_room(self) -> bool:
        """Whether the disk has room for more than what the service needs."""
        return measure_spare_room(self.path.parent) > 0

    def begin(self) -> None:
        """Have a file, an empty one if there is none, that only its owner may read."""
        with suppress(OSError):
            self.path.touch(mode=0o600)

    def sign(self, *parts: bytes) -> bytes:
        """The keyed digest of a row, which another release makes otherwise."""
        return blake2b(b"\0".join((self._release, *parts)), key=self._key, digest_size=32).digest()

    def attempt(self, action: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """What `action` returns, in one transaction; `otherwise` where it cannot be had."""
        if not self.path.exists():
            return otherwise
        name = f"file:{quote(str(self.path))}?mode=rw"
        try:
            # A connection for each use: none is shared by a process and those that it forks.
            with closing(sqlite3.connect(name, uri=True, timeout=PATIENCE)) as database, database:
                # What a power cut takes is made anew.
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
        """Delete a damaged file; whoever needs it next begins another."""
        for end in ("-journal", ""):
            with suppress(OSError):
                self.path.with_name(self.path.name + end).unlink()
