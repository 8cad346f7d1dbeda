"""The data version: one number for the state of the tables that finished games are read from.

A transaction that changes a finished game, the names of positions or who the players are advances
it. Changes to running games alone do not count.
"""

from __future__ import annotations

import secrets
from typing import Final

from sqlalchemy import Connection, bindparam, insert, select, update

from service.projection.database.tables import DATA_VERSION

FIRST_BYTES: Final = 6
"""Bytes of the first number. It is random, so that rebuilt tables have different numbers."""
_ROW: Final = 1


def read_data_version(connection: Connection) -> int:
    """The number of the state that this transaction sees; 0 while there are no data."""
    version: int | None = connection.execute(_READ).scalar()
    return version or 0


def advance_data_version(connection: Connection, changes: int = 1) -> None:
    """Give the state that this transaction leaves behind its own number.

    `changes`, above zero, is how many changes to count, so that it does not matter how many
    transactions they were written in. Everybody can see the number, and it must not reveal how the
    projector grouped its work.
    """
    if connection.execute(_ADVANCE, {"changes": changes}).rowcount == 0:
        first = int.from_bytes(secrets.token_bytes(FIRST_BYTES)) + changes
        row = {"id": _ROW, "version": first}
        connection.execute(insert(DATA_VERSION).values(row))


_READ: Final = select(DATA_VERSION.c.version).where(DATA_VERSION.c.id == _ROW)
_ADVANCE: Final = (
    update(DATA_VERSION)
    .where(DATA_VERSION.c.id == _ROW)
    .values(version=DATA_VERSION.c.version + bindparam("changes"))
)
