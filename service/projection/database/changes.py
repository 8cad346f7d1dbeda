"""Finds out within microseconds whether a file of SQLite has changed."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from urllib.parse import quote


class FileChanges:
    """Counts changes that others make in a generation's file. For one thread, or for greenlets."""

    def __init__(self) -> None:
        self._open: tuple[int, object, sqlite3.Connection] | None = None
        self._opened = 0

    def count(self, generation: object, file: Path) -> tuple[int, int] | None:
        """A pair that differs after each change; None where the file cannot say.

        The file is opened anew when `generation` changes, since another file may have its name.
        SQLite counts for each connection separately, so the pair also identifies the connection. No
        lock is held that anybody could hold for long, so nothing waits.
        """
        try:
            connection = self._connect(generation, file)
            counted = int(connection.execute("PRAGMA data_version").fetchone()[0])
            return self._opened, counted
        except sqlite3.Error:
            self.close()
            return None

    def close(self) -> None:
        """Close the file."""
        known, self._open = self._open, None
        # A child must not close what its parent has open: that would give up the parent's locks.
        if known is not None and known[0] == os.getpid():
            known[2].close()

    def _connect(self, generation: object, file: Path) -> sqlite3.Connection:
        if self._open is not None and self._open[:2] == (os.getpid(), generation):
            return self._open[2]
        self.close()
        made = sqlite3.connect(
            f"file:{quote(str(file))}?mode=rw",
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            timeout=0,
        )
        self._opened += 1
        self._open = os.getpid(), generation, made
        return made
