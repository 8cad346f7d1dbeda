"""Questions about many values at once, in as few statements as the databases take."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final, TypeVar

from sqlalchemy import ColumnElement, Connection, Row, Select

T = TypeVar("T")

MOST: Final = 10_000
"""Values in one statement; SQLite takes 32,766, PostgreSQL 65,535."""


def select_in(
    connection: Connection,
    chosen: Select[Any],
    column: ColumnElement[Any],
    values: Iterable[Any],
) -> list[Any]:
    """The first column of what is chosen where `column` is one of these values."""
    return [row[0] for row in select_rows_in(connection, chosen, column, values)]


def select_rows_in(
    connection: Connection,
    chosen: Select[Any],
    column: ColumnElement[Any],
    values: Iterable[Any],
) -> list[Row[Any]]:
    """The rows of what is chosen where `column` is one of these values."""
    found: list[Row[Any]] = []
    for some in batched(values, MOST):
        found += connection.execute(chosen.where(column.in_(some)))
    return found


def batched(values: Iterable[T], size: int) -> Iterator[list[T]]:
    """The values in lists of this size; the last may be shorter.

    >>> list(batched("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    remaining = iter(values)
    while some := list(islice(remaining, size)):
        yield some
