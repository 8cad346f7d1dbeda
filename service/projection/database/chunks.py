"""Statements about many values at once, without the cost of a parameter object for each."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, TypeVar

from sqlalchemy import (
    ARRAY,
    ColumnClause,
    ColumnElement,
    Connection,
    Row,
    Select,
    String,
    Table,
    TableValuedAlias,
    any_,
    func,
    literal,
    select,
)
from sqlalchemy import column as sql_column
from sqlalchemy.types import TypeEngine

T = TypeVar("T")

MOST: Final = 10_000
"""Values in one statement."""


def select_in(
    connection: Connection,
    chosen: Select[Any],
    column: ColumnElement[Any],
    values: Iterable[Any],
) -> list[Any]:
    """The first column of the rows of `chosen` where `column` is one of these values."""
    return [row[0] for row in select_rows_in(connection, chosen, column, values)]


def select_rows_in(
    connection: Connection,
    chosen: Select[Any],
    column: ColumnElement[Any],
    values: Iterable[Any],
) -> list[Row[Any]]:
    """The rows of `chosen` where `column` is one of these values."""
    found: list[Row[Any]] = []
    for some in batched(values, MOST):
        found += connection.execute(chosen.where(is_among(connection, column, some)))
    return found


def is_among(
    connection: Connection, column: ColumnElement[Any], values: Collection[Any]
) -> ColumnElement[bool]:
    """A condition that a column is one of these values, all of which are one parameter."""
    if connection.dialect.name == "postgresql":
        return column == any_(literal(list(values), ARRAY(column.type)))
    return column.in_(select(table_of(connection, values, column.type).c.value))


def table_of(
    connection: Connection, values: Collection[Any], type: TypeEngine[Any]
) -> TableValuedAlias:
    """These values as a table with the column `value`; all of them are one parameter."""
    column: ColumnClause[Any] = sql_column("value", type)
    if connection.dialect.name == "postgresql":
        array = func.unnest(literal(list(values), ARRAY(type)))
        return array.table_valued(column).render_derived()
    return func.json_each(json.dumps(list(values))).table_valued(column)


def insert_tuples(
    connection: Connection, table: Table, names: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Insert rows that are given as tuples of the values of these columns."""
    if not rows:
        return
    quote = connection.dialect.identifier_preparer.quote
    into = f"INSERT INTO {quote(table.name)} ({', '.join(map(quote, names))})"
    if connection.dialect.name == "postgresql":
        # One statement: sending each row by itself takes ten times as long.
        arrays = ", ".join(
            f"CAST(%s AS {_name_array(connection, table.c[name])})" for name in names
        )
        columns = tuple(map(list, zip(*rows, strict=True)))
        connection.exec_driver_sql(f"{into} SELECT * FROM unnest({arrays})", columns)
    else:
        marks = ", ".join("?" * len(names))
        connection.exec_driver_sql(f"{into} VALUES ({marks})", list(rows))


def _name_array(connection: Connection, column: ColumnElement[Any]) -> str:
    """PostgreSQL's name for an array of the column's type."""
    if isinstance(column.type, String):
        return "text[]"
    return f"{column.type.compile(connection.dialect)}[]"


def batched(values: Iterable[T], size: int) -> Iterator[list[T]]:
    """The values in lists of this size; the last may be shorter.

    >>> list(batched("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    remaining = iter(values)
    while some := list(islice(remaining, size)):
        yield some
