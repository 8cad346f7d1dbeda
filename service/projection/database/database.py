"""The database of the read models, as readers and writers use it."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Final, TypeVar

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from service.log.noted_reads import note_tables
from service.projection.database.interface import Store
from service.projection.errors import (
    DatabaseDamaged,
    DatabaseError,
    DatabaseFull,
    DatabaseLocked,
    DatabaseSlow,
    RebuildSuperseded,
)
from service.storage.capacity import measure_spare_room
from service.storage.native_threads import (
    TookTooLong,
    call_natively,
    make_native_lock,
)

T = TypeVar("T")

IDLE: Final = 2
"""Connections of each kind that are kept open for the next question."""
ATTEMPTS: Final = 5
"""How often a question is tried again because a rebuild has just replaced the tables."""


_of_parents: list[object] = []
"""Connections of processes that have forked, which their children must not close."""


class _Replaced(Exception):
    """The generation to be written is no longer current."""


class Database:
    """Tables of the read models: the current generation, or one that is being built.

    Every question is answered from one state of the tables. Every change is one transaction, and no
    other begins before it ends. The first use creates or migrates the tables; as long as that
    fails, each use tries again and raises DatabaseError. Safe for threads, greenlets and forks.
    """

    def __init__(self, store: Store, building: int | None = None) -> None:
        self.store = store
        self.building = building
        self._prepared = building is not None
        self._free: dict[tuple[int, bool], deque[Connection]] = {}
        self._engines: dict[int, Engine] = {}
        self._opening = make_native_lock()
        self._pid = os.getpid()

    def read(self, query: Callable[[Connection], T], patience: float | None = None) -> T:
        """Return what `query` finds in one state of the tables.

        If a rebuild replaces the tables meanwhile, `query` is called again from its beginning.
        Under gevent it runs in a thread of its own, and DatabaseSlow is raised after `patience`
        seconds. Raises DatabaseError.
        """
        note_tables()
        try:
            return call_natively(partial(self._read, query), patience)
        except TookTooLong as error:
            raise DatabaseSlow from error

    def write(self, change: Callable[[Connection], T]) -> T:
        """Return what `change` returns, after writing all of it; writes nothing if it raises."""
        return call_natively(partial(self._write, change))

    def build(self) -> Database:
        """A new generation with empty tables; nobody reads it before `replace_by`.

        An earlier generation that was being built is dropped. The current one may be damaged.
        """
        # Damaged tables are not read; the rebuild replaces them in the end.
        with suppress(DatabaseDamaged):
            self._prepare()
        return Database(self.store, self._translate(self.store.begin))

    def replace_by(self, built: Database, finish: Callable[[Connection | None], None]) -> None:
        """Let everybody read the generation `built` from now on.

        `finish` is called while nobody else can write, with a connection to the generation read
        until now, or None where that is damaged. Raises RebuildSuperseded.
        """
        number = built.building
        assert number is not None
        failures: list[DatabaseDamaged] = []

        def replace(connection: Connection | None) -> None:
            try:
                finish(connection)
                built.write(lambda connection: None)
            except DatabaseDamaged as error:
                failures.append(error)
                raise
            self.store.replace(connection, number)

        try:
            self.write(replace)
        except DatabaseDamaged:
            if failures:
                raise
            # Tables that cannot be read cannot be written either: there is no one to wait for.
            self._translate(partial(replace, None))
        built.close()
        self.remove_replaced()

    def remove_replaced(self) -> None:
        """Remove the generations that were replaced.

        PostgreSQL keeps those that somebody is still reading until the next time.
        """
        with suppress(DatabaseLocked):
            self._translate(self.store.remove_replaced)

    def discard(self) -> None:
        """Delete a generation that was being built."""
        if self.building is not None:
            self.close()
            number = self.building
            self._translate(lambda: self.store.remove(number))

    def size(self) -> int:
        """The bytes that the current generation takes up on disk; raises DatabaseError."""
        return call_natively(self._size)

    def state(self) -> tuple[int, int] | None:
        """A pair that differs after each change of the tables; None where finding out takes long.

        Every question asked afterwards sees this state or a newer one.
        """
        try:
            return self.store.state()
        except DatabaseError:
            return None

    def close(self) -> None:
        """Close the connections that are not in use."""
        for free in list(self._free.values()):
            while free:
                free.pop().close()
        self._free.clear()

    def _read(self, query: Callable[[Connection], T]) -> T:
        self._prepare()
        return self._ask_current(lambda number: self._read_from(number, query))

    def _ask_current(self, ask: Callable[[int], T]) -> T:
        """Ask the current generation; ask again if a rebuild has replaced it meanwhile."""
        for _ in range(ATTEMPTS - 1):
            number = self._number()
            try:
                return ask(number)
            except DBAPIError as error:
                if error.connection_invalidated:
                    # The server was down and may be back: no other connection is better.
                    self.close()
                else:
                    self._raise_unless_replaced(number, error)
        return self._translate(lambda: ask(self._number()))

    def _read_from(self, number: int, query: Callable[[Connection], T]) -> T:
        with self._connection(number, writing=False) as connection, connection.begin():
            return query(connection)

    def _write(self, change: Callable[[Connection], T]) -> T:
        self._leave_reserve()
        self._prepare()
        for _ in range(ATTEMPTS):
            number = self._number()
            try:
                with self._connection(number, writing=True) as connection, connection.begin():
                    self._check(connection, number)
                    return change(connection)
            except _Replaced:
                continue
            except DBAPIError as error:
                if error.connection_invalidated:
                    self.close()
                self._raise_unless_replaced(number, error)
        raise RebuildSuperseded(self._number())

    def _leave_reserve(self) -> None:
        """Raise DatabaseFull where the disk has no more room than the log may need."""
        folder = self.store.folder
        # It is for the store to say whether the folder exists.
        with suppress(FileNotFoundError):
            if folder is not None and measure_spare_room(folder) <= 0:
                raise DatabaseFull

    def _check(self, connection: Connection, number: int) -> None:
        """Lock the generation; raises if it is no longer the one to write."""
        if self.building is None:
            if self.store.lock(connection) != number:
                raise _Replaced
        elif not self.store.is_building(number, connection):
            raise RebuildSuperseded(number)

    def _size(self) -> int:
        self._prepare()
        return self._translate(self.store.size)

    def _prepare(self) -> None:
        # Others may do so at the same time, which the store knows how to handle.
        if not self._prepared:
            self._translate(self.store.make)
            self._ask_current(self.store.migrate)
            self._prepared = True

    def _number(self) -> int:
        if self.building is not None:
            return self.building
        return self._translate(self.store.current)

    def _raise_unless_replaced(self, number: int, error: DBAPIError) -> None:
        """Raise what an error means, unless a rebuild has replaced the current generation."""
        if not self._translate(lambda: self.store.is_replaced(number, error)):
            raise self._described(error) from error
        if self.building is not None:
            raise RebuildSuperseded(number) from error

    def _described(self, error: DBAPIError) -> Exception:
        return self.store.describe(error) or error

    def _translate(self, call: Callable[[], T]) -> T:
        try:
            return call()
        except DBAPIError as error:
            raise self._described(error) from error

    @contextmanager
    def _connection(self, number: int, *, writing: bool) -> Iterator[Connection]:
        """A connection for this caller alone; put back afterwards unless the database failed."""
        free = self._free_connections(number, writing)
        try:
            connection = free.pop()
        except IndexError:
            connection = self._engine(number).connect().execution_options(writing=writing)
        try:
            yield connection
        except DBAPIError:
            connection.invalidate()
            connection.close()
            raise
        except BaseException:
            free.append(connection)
            raise
        if len(free) < IDLE and number == self._number():
            free.append(connection)
        else:
            connection.close()

    def _free_connections(self, number: int, writing: bool) -> deque[Connection]:
        if self._pid != os.getpid():
            # A child must neither use its parent's connections nor close them properly.
            _of_parents.append(self._free)
            self._free, self._engines, self._pid = {}, {}, os.getpid()
            self._opening = make_native_lock()
        for other in list(self._free):
            if other[0] != number:
                for connection in self._free.pop(other, ()):
                    connection.close()
                self._engines.pop(other[0], None)
        return self._free.setdefault((number, writing), deque())

    def _engine(self, number: int) -> Engine:
        """The engine of a generation, after its first connection was made.

        SQLAlchemy holds a lock while it makes that. Under gevent it is a lock of greenlets, and
        native threads waiting for it might wait for ever, so only one of them may get there.
        """
        with self._opening:
            engine = self._engines.get(number)
            if engine is None:
                engine = self.store.engine(number)
                engine.connect().close()
                self._engines[number] = engine
            return engine
