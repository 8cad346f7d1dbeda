"""Read models in PostgreSQL: a schema for each generation, and a table that names the current one.

movelog.generation          one row: the current number, and the newest that was ever begun
movelog_<number>            the tables of a generation
movelog_<number>_replaced   those of one that is about to be removed (the user may make schemas)
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import URL, Connection, Engine, create_engine, event, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from service.projection.database.interface import PATIENCE
from service.projection.database.postgresql_notes import (
    NONE,
    NOTES,
    REPLACED,
    SCHEMA,
    has_notes,
    number_of,
    read_newest,
    read_number,
    write_notes,
)
from service.projection.database.refusals import is_too_large
from service.projection.database.schema import create_tables, is_up_to_date, upgrade
from service.projection.errors import (
    DatabaseAway,
    DatabaseDamaged,
    DatabaseError,
    DatabaseFull,
    DatabaseLocked,
    RebuildSuperseded,
)
from service.storage.errors import CHECK_SERVER
from service.storage.native_threads import make_native_lock

if TYPE_CHECKING:
    from service.projection.database.silence import Silence

MAKING: Final = 0x6D6F76656C6F67
"""The advisory lock for creating the first tables, and for migrating them."""
CONNECTING: Final = {
    "application_name": SCHEMA,
    # A server that vanishes without a word, with its machine or its network, is noticed.
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": int(1000 * PATIENCE),
}
PLANNING: Final = (
    # Every question has an index whose first rows are its answer. The planner knows little of new
    # tables and new keys, and would rather read and sort all rows of a set that it takes for small.
    "enable_seqscan TO off",
    "enable_bitmapscan TO off",
    "jit TO off",
)
LONGEST_QUESTION: Final = 30.0
"""Seconds that a statement may take that only reads."""
UNKNOWN_TABLE: Final = frozenset({"42P01", "3F000"})
DAMAGED: Final = UNKNOWN_TABLE | {"42703"}
FULL: Final = frozenset({"53100", "53200"})
LOCKED: Final = frozenset({"55P03", "40P01", "40001"})
AWAY: Final = ("28", "3D000", "42501")
"""How the codes of those refusals begin that the driver takes for errors of the program."""


class PostgresqlStore:
    """Generations of the read models in a PostgreSQL database; see `interface.Store`."""

    folder: Path | None = None

    def __init__(self, url: URL) -> None:
        """`url` is an SQLAlchemy URL with the driver psycopg."""
        self.url = url
        self._known: int | None = None
        self._making: Engine | None = None
        self._opening = make_native_lock()
        self._silence: Silence | None = None

    def make(self) -> None:
        """Create the first generation in a database that has none."""
        with self._maker().connect() as connection:
            if has_notes(connection):
                return
        with self._maker().connect() as connection, connection.begin():
            # Two processes creating a schema at once would make each other fail.
            connection.execute(text(f"SELECT pg_advisory_xact_lock({MAKING})"))
            # Generations without the table that names the current one are damaged.
            if not has_notes(connection) and not self._schemas(connection):
                self._create(connection, 1)
                write_notes(connection, 1, 1)

    def migrate(self, number: int) -> None:
        """Bring a generation's tables up to date."""
        with self.engine(number).connect() as connection, connection.begin():
            if is_up_to_date(connection):
                return
        with self._writing(number) as connection, connection.begin():
            connection.execute(text(f"SELECT pg_advisory_xact_lock({MAKING})"))
            upgrade(connection)

    def current(self) -> int:
        """The number as last looked up; `is_replaced` looks again."""
        if self._known is None:
            with self._maker().connect() as connection:
                self._known = read_number(connection)
        return self._known

    def state(self) -> None:
        """Always None: the server would have to be asked, in a thread that waits for it."""

    def engine(self, number: int) -> Engine:
        """An engine whose connections find a generation's tables by their bare names."""
        # What a crash of the server loses is projected again.
        made = self._engine(
            f"search_path TO {SCHEMA}_{number}",
            "synchronous_commit TO off",
            f"statement_timeout TO '{LONGEST_QUESTION:.0f}s'",
            *PLANNING,
        )
        event.listen(made, "begin", _begin)
        event.listen(made, "after_cursor_execute", _arm_limits)
        return made

    def is_replaced(self, number: int, error: DBAPIError | None = None) -> bool:
        """Whether the tables are gone because another number is current."""
        if error is not None and getattr(error.orig, "sqlstate", None) not in UNKNOWN_TABLE:
            return False
        self._known = None
        return number != self.current()

    def lock(self, connection: Connection) -> int:
        """Lock the row that names the current generation, until the transaction's end."""
        _lock_notes(connection)
        self._known = None
        self._known = read_number(connection)
        return self._known

    def begin(self) -> int:
        """Create the schema of a new generation and drop those of unfinished ones."""
        with self._maker().connect() as connection, connection.begin():
            connection.execute(text(f"SELECT pg_advisory_xact_lock({MAKING})"))
            if has_notes(connection):
                _lock_notes(connection)
            schemas = self._schemas(connection)
            newest = max([0, *map(number_of, schemas)])
            try:
                current, newest = read_number(connection), max(newest, read_newest(connection))
            except DatabaseDamaged:
                # A reader that knows which of them was current reads it until it is replaced.
                current, schemas = NONE, []
            for name in schemas:
                if name != f"{SCHEMA}_{current}":
                    connection.execute(text(f"DROP SCHEMA IF EXISTS {name} CASCADE"))
            self._create(connection, newest + 1)
            write_notes(connection, current, newest + 1)
            return newest + 1

    def is_building(self, number: int, connection: Connection) -> bool:
        """Whether the generation's schema exists."""
        found = connection.execute(
            text("SELECT 1 FROM pg_namespace WHERE nspname = :name"),
            {"name": f"{SCHEMA}_{number}"},
        )
        return found.scalar() is not None

    def replace(self, connection: Connection | None, number: int) -> None:
        """Name another generation as current; the tables of the others are no longer found."""
        if connection is None:
            with self._maker().connect() as own, own.begin():
                self._replace(own, number, number)
        else:
            self._replace(connection, number, read_newest(connection))
        self._known = None

    def _replace(self, connection: Connection, number: int, newest: int) -> None:
        if not self.is_building(number, connection):
            raise RebuildSuperseded(number)
        write_notes(connection, number, newest)
        for name in self._schemas(connection):
            if number_of(name) < number and not name.endswith(REPLACED):
                connection.execute(text(f"ALTER SCHEMA {name} RENAME TO {name}{REPLACED}"))

    def remove(self, number: int) -> None:
        """Drop a generation's schema."""
        with self._maker().connect() as connection, connection.begin():
            connection.execute(text(f"DROP SCHEMA IF EXISTS {SCHEMA}_{number} CASCADE"))

    def remove_replaced(self) -> None:
        """Drop the schemas that were renamed when they were replaced."""
        with self._maker().connect() as connection, connection.begin():
            for name in self._schemas(connection):
                if name.endswith(REPLACED):
                    connection.execute(text(f"DROP SCHEMA IF EXISTS {name} CASCADE"))

    def describe(self, error: DBAPIError) -> DatabaseError | None:
        """The meaning of PostgreSQL's code; most server errors mean that it can be asked later."""
        code = getattr(error.orig, "sqlstate", None)
        if code in FULL:
            return DatabaseFull()
        if code in LOCKED:
            return DatabaseLocked()
        if code in DAMAGED:
            return DatabaseDamaged(_first_line(error))
        refused = code is not None and code.startswith(AWAY)
        if refused or error.connection_invalidated or _is_of_server(error):
            return DatabaseAway(_first_line(error), CHECK_SERVER)
        return None

    def size(self) -> int:
        """The bytes of the current generation's tables and indexes."""
        with self._maker().connect() as connection:
            found = connection.execute(
                text(
                    "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c "
                    "JOIN pg_namespace n ON n.oid = c.relnamespace "
                    "WHERE n.nspname = :name AND c.relkind = 'r'"
                ),
                {"name": f"{SCHEMA}_{read_number(connection)}"},
            )
            return int(found.scalar_one())

    def _create(self, connection: Connection, number: int) -> None:
        connection.execute(text(f"CREATE SCHEMA {SCHEMA}_{number}"))
        connection.execute(text(f"SET LOCAL search_path TO {SCHEMA}_{number}"))
        create_tables(connection)

    def _schemas(self, connection: Connection) -> list[str]:
        found = connection.execute(
            text("SELECT nspname FROM pg_namespace WHERE nspname ~ :pattern"),
            {"pattern": rf"^{SCHEMA}_[0-9]+(_replaced)?$"},
        )
        return [str(name) for name in found.scalars()]

    def _writing(self, number: int) -> Connection:
        return self.engine(number).connect().execution_options(writing=True)

    def _maker(self) -> Engine:
        """The engine for what concerns all generations, after its first connection was made.

        As with the engines of `Database`, native threads must not make that connection together.
        """
        with self._opening:
            if self._making is None:
                made = self._engine(f"search_path TO {SCHEMA}")
                made.connect().close()
                self._making = made
            return self._making

    def _engine(self, *settings: str) -> Engine:
        def set_up(connection: Any, record: object) -> None:
            connection.autocommit = True
            for setting in (*settings, f"lock_timeout TO '{PATIENCE:.0f}s'"):
                connection.execute(f"SET {setting}")
            connection.autocommit = False

        made = create_engine(self.url, poolclass=NullPool, connect_args=CONNECTING)
        event.listen(made, "do_connect", self._connect)
        event.listen(made, "connect", set_up)
        return made

    def _connect(self, dialect: Any, record: object, given: Any, options: Any) -> Any:
        """Make the driver's connection, one that notices when the server falls silent."""
        # The driver is imported only where it is used.
        from service.projection.database import silence

        options["connect_timeout"] = silence.CONNECTING
        if self._silence is None:
            import psycopg

            self._silence = silence.Silence(partial(psycopg.connect, *given, **options))
        return silence.connect_attentively(self._silence, *given, **options)


def _begin(connection: Connection) -> None:
    if connection.get_execution_options().get("writing", False):
        connection.exec_driver_sql("SET LOCAL statement_timeout TO DEFAULT")
    else:
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")


def _arm_limits(
    connection: Connection, cursor: Any, statement: str, given: Any, context: Any, many: bool
) -> None:
    """Let the server count anew for how long it hears nothing in a transaction.

    By itself it does not do so after a statement with many rows, which the driver ends by asking
    for what is ready.
    """
    if many:
        driven: Any = connection.connection.driver_connection
        driven.execute("SELECT 1")


def _lock_notes(connection: Connection) -> None:
    connection.execute(text(f"SELECT 1 FROM {NOTES} FOR UPDATE"))


def _first_line(error: DBAPIError) -> str:
    return str(error.orig).strip().partition("\n")[0]


def _is_of_server(error: DBAPIError) -> bool:
    """Whether the server or the way to it failed, rather than the statement."""
    import psycopg

    if is_too_large(error):
        return False
    failures = (psycopg.OperationalError, psycopg.InternalError, psycopg.InterfaceError)
    return isinstance(error.orig, failures)
