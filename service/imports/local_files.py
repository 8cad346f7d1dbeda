"""The files of imports in a data directory, which all processes of one machine share.

<root>/<id>/original         the bytes as received
<root>/<id>/verdicts.ndjson  what became of each game
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Final

from service.imports.files import ORIGINAL, VERDICTS
from service.storage import durable_files as durable

PAUSE: Final = 0.01
"""Seconds between two attempts at a lock that another upload holds."""


class LocalLineFile:
    """A file of lines on disk."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def size(self) -> int:
        """The size in bytes."""
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    def truncate(self, size: int) -> None:
        """Drop everything after the first `size` bytes."""
        with self.path.open("ab") as file:
            file.truncate(size)

    def append(self, lines: bytes) -> int:
        """Append whole lines durably."""
        with self.path.open("ab") as file:
            file.write(lines)
            durable.sync(file)
            return file.tell()

    def read(self, start: int, length: int) -> bytes:
        """Read `length` bytes, fewer at the end."""
        try:
            with self.path.open("rb") as file:
                file.seek(start)
                return file.read(length)
        except FileNotFoundError:
            return b""

    def lines(self, start: int = 0) -> Iterator[bytes]:
        """Yield the lines from an offset on."""
        if not self.path.exists():
            return
        with self.path.open("rb") as file:
            file.seek(start)
            yield from file


class LocalFiles:
    """The files of imports in a folder."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @contextmanager
    def lock(self, id: str) -> Iterator[None]:
        """Lock the files of an import against all other processes on this disk."""
        descriptor = os.open(self._folder(id), os.O_RDONLY)
        try:
            # Waiting in a system call would stop all other requests of a web process.
            while not _try_to_lock(descriptor):
                time.sleep(PAUSE)
            yield
        finally:
            os.close(descriptor)

    def keep(self, id: str, draft: Path) -> None:
        """Move a synced file to its place."""
        durable.replace(draft, self._folder(id) / ORIGINAL)
        durable.sync_folder(self.root)

    def size(self, id: str) -> int | None:
        """The size of the original of an import in bytes; None if there is none."""
        try:
            return (self.root / id / ORIGINAL).stat().st_size
        except FileNotFoundError:
            return None

    def open(self, id: str) -> BinaryIO:
        """Open the original of an import; raises FileNotFoundError."""
        return (self.root / id / ORIGINAL).open("rb")

    def discard(self, id: str) -> None:
        """Remove the original of an import, if there is one."""
        with suppress(FileNotFoundError):
            (self.root / id / ORIGINAL).unlink()

    def verdicts(self, id: str) -> LocalLineFile:
        """The verdicts of an import."""
        return LocalLineFile(self.root / id / VERDICTS)

    def _folder(self, id: str) -> Path:
        folder = self.root / id
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder


def _try_to_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
