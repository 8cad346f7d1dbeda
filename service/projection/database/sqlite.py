"""Read models in SQLite: a file for each generation, and a small one that names the current one.

<folder>/<number>.sqlite   a generation, with its write-ahead log beside it; no number is used twice
<folder>/current           the number of the one that is read
<folder>/lock              held while these are made, replaced and removed
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from service.projection.database.changes import FileChanges
from service.projection.database.interface import PATIENCE
from service.projection.database.schema import create_tables, is_up_to_date, upgrade
from service.projection.errors import (
    DatabaseAway,
    DatabaseDamaged,
    DatabaseError,
    DatabaseFull,
    DatabaseLocked,
    RebuildSuperseded,
)
from service.storage.capacity import DISK_ERRORS
from service.storage.durable_files import replace, sync

PRAGMAS: Final = (
    "PRAGMA journal_mode=WAL",
    # What a power cut loses is projected again: rows and checkpoints go together.
    "PRAGMA synchronous=NORMAL",
    f"PRAGMA busy_timeout={PATIENCE * 1000:.0f}",
    # Negative: KiB. Many connections read, and beneath them is the system's cache.
    "PRAGMA cache_size=-8192",
    "PRAGMA wal_autocheckpoint=8000",
    "PRAGMA journal_size_limit=67108864",
    "PRAGMA temp_store=MEMORY",
)
WRITING: Final = "PRAGMA cache_size=-65536"
"""Larger for writing: a batch of games changes pages all over the table of positions."""
FILES: Final = ("", "-wal", "-shm")
"""The endings of the files of one generation."""
FULL: Final = frozenset({sqlite3.SQLITE_FULL})
LOCKED: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
DAMAGED: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
NO_TABLE: Final = "no such table"
"""What SQLite says, without a code of its own, about a file that was emptied."""
AWAY: Final = frozenset(
    {
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_READONLY,
    }
)


class SqliteStore:
    """Generations of the read models below a folder; see `interface.Store`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: tuple[tuple[int, int], int] = ((0, 0), 0)
        self._changes = FileChanges()

    @property
    def folder(self) -> Path | None:
        """The folder of the files."""
        return self._folder

    def make(self) -> None:
        """Create the folder and the first generation where there are none."""
        with _described_files():
            self._folder.mkdir(parents=True, exist_ok=True)
            if self._pointer.exists():
                return
        with self._locked():
            if not self._pointer.exists():
                number = self._next_number(0)
                self._create(number)
                self._point_to(number)

    def migrate(self, number: int) -> None:
        """Bring the tables of a file up to date."""
        # A reader need not wait for a change in progress.
        with self.engine(number).connect() as connection, connection.begin():
            if is_up_to_date(connection):
                return
        with self._writing(number) as connection, connection.begin():
            upgrade(connection)

    def current(self) -> int:
        """The number in the file `current`, which is read again when it has changed."""
        with _described_files():
            stat = os.stat(self._pointer)
            known, number = self._known
            if known != (stat.st_mtime_ns, stat.st_ino):
                number = _read_number(self._pointer)
                self._known = ((stat.st_mtime_ns, stat.st_ino), number)
        return number

    def engine(self, number: int) -> Engine:
        """An engine whose connections never create a missing file."""
        name = f"file:{quote(str(self._path(number)))}?mode=rw"
        made = create_engine(
            "sqlite://",
            poolclass=NullPool,
            # Transactions are begun by `_begin`, not when the driver sees fit.
            creator=lambda: sqlite3.connect(
                name, uri=True, isolation_level=None, check_same_thread=False
            ),
        )
        event.listen(made, "connect", _set_pragmas)
        event.listen(made, "begin", _begin)
        return made

    def is_replaced(self, number: int, error: DBAPIError | None = None) -> bool:
        """Whether another number is current, or the file of one being built is gone."""
        return number != self.current() and not self._path(number).exists()

    def lock(self, connection: Connection) -> int:
        """A transaction that was begun IMMEDIATE already has the lock."""
        return self.current()

    def begin(self) -> int:
        """Create the file of a new generation and delete those of unfinished ones."""
        with self._locked():
            try:
                current = self.current()
            except DatabaseDamaged:
                current = 0
            following = self._next_number(current)
            for number in self._numbers():
                if number != current:
                    self._delete(number)
            self._create(following)
            return following

    def is_building(self, number: int, connection: Connection) -> bool:
        """Whether the generation's file exists."""
        return self._path(number).exists()

    def replace(self, connection: Connection | None, number: int) -> None:
        """Name another generation in the file `current`."""
        with self._locked():
            if not self._path(number).exists():
                raise RebuildSuperseded(number)
            self._point_to(number)

    def remove(self, number: int) -> None:
        """Delete a generation's files."""
        with self._locked():
            self._delete(number)

    def remove_replaced(self) -> None:
        """Delete the files of lower numbers; readers that have them open go on reading."""
        with self._locked():
            current = self.current()
            for number in self._numbers():
                if number < current:
                    self._delete(number)

    def describe(self, error: DBAPIError) -> DatabaseError | None:
        """The meaning of SQLite's code."""
        original = error.orig
        code = getattr(original, "sqlite_errorcode", 0) & 0xFF
        if code in FULL:
            return DatabaseFull()
        if code in LOCKED:
            return DatabaseLocked()
        if code in DAMAGED or str(original).startswith(NO_TABLE):
            return DatabaseDamaged(str(original))
        if code == sqlite3.SQLITE_CANTOPEN and not self._path(self.current()).exists():
            return DatabaseDamaged(f"the file {self.current()}.sqlite is gone")
        return DatabaseAway(str(original)) if code in AWAY else None

    def state(self) -> tuple[int, int] | None:
        """SQLite's count of changes in the generation that `current` returned last."""
        number = self.current()
        return self._changes.count(self._known, self._path(number))

    def size(self) -> int:
        """The bytes of the current generation's files."""
        return sum(_size(file) for file in self._files(self.current()))

    @property
    def _pointer(self) -> Path:
        return self._folder / "current"

    def _path(self, number: int) -> Path:
        return self._folder / f"{number}.sqlite"

    def _files(self, number: int) -> list[Path]:
        return [self._folder / f"{number}.sqlite{end}" for end in FILES]

    def _numbers(self) -> list[int]:
        return [int(file.stem) for file in self._folder.glob("*.sqlite") if file.stem.isdigit()]

    def _next_number(self, current: int) -> int:
        """A number that no generation has had, not even one whose files were deleted.

        Some process may still have connections to those, or be about to fill or replace them.
        """
        return max(time.time_ns() // 1000, current + 1, *(used + 1 for used in self._numbers()))

    def _writing(self, number: int) -> Connection:
        return self.engine(number).connect().execution_options(writing=True)

    def _create(self, number: int) -> None:
        self._delete(number)
        with _described_files():
            self._path(number).touch(mode=0o600)
        with self._writing(number) as connection, connection.begin():
            create_tables(connection)

    def _point_to(self, number: int) -> None:
        draft = self._folder / "current.new"
        with _described_files():
            with draft.open("w") as file:
                file.write(f"{number}\n")
                sync(file)
            replace(draft, self._pointer)

    def _delete(self, number: int) -> None:
        for file in self._files(number):
            with _described_files(), suppress(FileNotFoundError):
                file.unlink()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with _described_files():
            handle = os.open(self._folder / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)


@contextmanager
def _described_files() -> Iterator[None]:
    """Raise DatabaseAway or DatabaseFull where the file system refuses."""
    try:
        yield
    except OSError as error:
        if error.errno in DISK_ERRORS:
            raise DatabaseFull from error
        raise DatabaseAway(str(error)) from error


def _read_number(pointer: Path) -> int:
    try:
        return int(pointer.read_text())
    except ValueError as error:
        raise DatabaseDamaged(f"the file `{pointer.name}` does not name a generation") from error


def _set_pragmas(connection: Any, record: object) -> None:
    for pragma in PRAGMAS:
        connection.execute(pragma)


def _begin(connection: Connection) -> None:
    writing = connection.get_execution_options().get("writing", False)
    if writing:
        connection.exec_driver_sql(WRITING)
    # A change that began as a read could not wait for another change to end.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0
