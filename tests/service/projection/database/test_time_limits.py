"""A query that takes too long is ended, whichever database answers it."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Connection, Select, literal_column, select, text

from service.projection.database.database import Database
from service.projection.database.time_limits import OutOfTime, time_limit
from tests.waiting import PATIENCE

ENDLESS = "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT count(*) FROM n)"


def ask_until(connection: Connection, deadline: float) -> None:
    with time_limit(connection, deadline):
        connection.execute(select(literal_column(ENDLESS)))


def one(connection: Connection) -> int:
    return int(connection.execute(text("SELECT 1")).scalar_one())


def test_an_endless_question_is_ended(database: Database) -> None:
    for _ in range(2):
        begun = time.monotonic()
        with pytest.raises(OutOfTime):
            database.read(partial(ask_until, deadline=begun + 0.05))
        assert 0.05 <= time.monotonic() - begun < PATIENCE
    assert database.read(one) == 1


def test_after_the_deadline_nothing_is_asked(database: Database) -> None:
    with pytest.raises(OutOfTime):
        database.read(lambda connection: ask_until(connection, time.monotonic() - 1))


def test_what_is_in_time_is_answered_and_leaves_no_limit(database: Database) -> None:
    def ask(connection: Connection) -> int:
        with time_limit(connection, time.monotonic() + PATIENCE):
            found = one(connection)
        with time_limit(connection, float("inf")):
            return found + one(connection)

    assert database.read(ask) == 2
    # The connection is used again, without the time limit of the query before.
    counting = "SELECT i + 1 FROM n WHERE i < 200000)"
    slow: Select[Any] = select(literal_column(ENDLESS.replace("SELECT 1 FROM n)", counting)))
    with pytest.raises(OutOfTime):
        database.read(lambda connection: ask_until(connection, time.monotonic() + 0.001))
    assert database.read(lambda connection: connection.execute(slow).scalar_one()) == 200_000
