"""The heads that rows were made from, shortened to what a numeric column holds.

A row's head shows whether the log still has the events that the row was made from: after a
failover, others may stand at the same versions. Sixty-four bits of a digest are enough, since
nobody gains anything from two histories of one stream that agree in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlalchemy import Connection, Table, select

DIGITS: Final = 16
"""Hexadecimal digits of a digest that are kept."""


def shorten_head(head: str) -> int:
    """The first 64 bits of a digest, as a signed number.

    >>> shorten_head("ff" * 32), shorten_head("00" * 31 + "01")
    (-1, 0)
    """
    return int.from_bytes(bytes.fromhex(head[:DIGITS]), signed=True)


def read_heads(connection: Connection, table: Table) -> dict[str, int | None]:
    """The heads of a table's rows by id; None for rows that an earlier version wrote."""
    found = connection.execute(select(table.c.id, table.c.head))
    return {row.id: row.head for row in found}


def find_differing(known: Mapping[str, int | None], current: Mapping[str, int]) -> set[str]:
    """The ids whose heads differ between the tables and the log, or that only one of them has."""
    return {id for id in known.keys() | current.keys() if known.get(id) != current.get(id)}
