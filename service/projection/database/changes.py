"""Which state a file of SQLite is in, found out in some microseconds."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from urllib.parse import quote


class FileChanges:
    """Counts what others change in the file of a generation. For one thread, or for greenlets."""

    def __init__(self) -> None:
        self._open: tuple[int, object, sqlite3.Connection] | None = None
        self._opened = 0

    def count(self, generation: object, file: Path) -> tuple[int, int] | None:
        """A pair that is another one after each change; None where the file does not tell.

        The file is opened anew where `generation` is not what it was: another may have its name.
        SQLite counts for each connection by itself, so the pair also tells which one it was.
        It takes no lock that anybody could hold for long: nothing waits for it.
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
