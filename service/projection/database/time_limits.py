"""Ends statements that take too long: SQLite checks as it runs, PostgreSQL gets a limit before."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

STEPS: Final = 1000
"""Steps of SQLite's machine between two looks at the clock."""
CANCELLED: Final = "57014"
"""PostgreSQL's code for a statement that was cancelled."""


class OutOfTime(Exception):
    """A statement was ended at its deadline; its transaction can run no other statement."""


@contextmanager
def time_limit(connection: Connection, deadline: float) -> Iterator[None]:
    """End what a reading connection runs once `time.monotonic()` reaches `deadline`.

    Raises OutOfTime, at once if the deadline has passed already.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        raise OutOfTime
    if left == float("inf"):
        yield
        return
    limit = _limit_sqlite if connection.dialect.name == "sqlite" else _limit_postgresql
    try:
        with limit(connection, deadline):
            yield
    except DBAPIError as error:
        if not _is_ended(error):
            raise
        raise OutOfTime from error


def limit_silence(connection: Connection, seconds: float) -> None:
    """End this transaction if its process is silent for `seconds`, so that others may go on.

    Only PostgreSQL does this; SQLite's lock is held as long as its process stands still.
    """
    if connection.dialect.name == "postgresql":
        limit = f"SET LOCAL idle_in_transaction_session_timeout TO {int(1000 * seconds)}"
        connection.exec_driver_sql(limit)


@contextmanager
def _limit_sqlite(connection: Connection, deadline: float) -> Iterator[None]:
    driven = connection.connection.driver_connection
    assert isinstance(driven, sqlite3.Connection)
    driven.set_progress_handler(lambda: time.monotonic() >= deadline, STEPS)
    try:
        yield
    finally:
        driven.set_progress_handler(None, 0)


@contextmanager
def _limit_postgresql(connection: Connection, deadline: float) -> Iterator[None]:
    # A limit of 0 would mean none. The setting ends with the transaction. Rounded up: a late caller
    # is refused by the clock here, before asking.
    left = 1 + int(1000 * (deadline - time.monotonic()))
    connection.exec_driver_sql(f"SET LOCAL statement_timeout TO {left}")
    yield


def _is_ended(error: DBAPIError) -> bool:
    code = getattr(error.orig, "sqlite_errorcode", None)
    return code == sqlite3.SQLITE_INTERRUPT or getattr(error.orig, "sqlstate", None) == CANCELLED
